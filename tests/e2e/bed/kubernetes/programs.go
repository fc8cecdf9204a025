// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package bed names the programs that are built from this module's dependencies.
package bed

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
)
