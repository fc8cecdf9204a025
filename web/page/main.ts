// SPDX-License-Identifier: Apache-2.0
// The page that the daemon serves.
const heading = document.createElement("h1");
heading.textContent = "fairlead";
document.getElementById("page")?.append(heading);
