// SPDX-License-Identifier: Apache-2.0

// etcd's server as one program: its module keeps the entry point as a package.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
