// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package bed names the programs that are built from this module's dependencies.
package bed

import (
	_ "sigs.k8s.io/kueue/cmd/kueue"
	_ "sigs.k8s.io/kueue/test/performance/scheduler/minimalkueue"
)
