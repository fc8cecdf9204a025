// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package bed names the program that is built from this module's dependencies.
package bed

import _ "sigs.k8s.io/kustomize/kustomize/v5"
