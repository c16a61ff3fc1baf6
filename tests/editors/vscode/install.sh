#!/usr/bin/env bash
# Installs into a folder what the tests of the VS Code extension drive:
#   install.sh FOLDER
# VS Code's server (code-server), Playwright, and the packages that the server of the extension needs, as an index to install it from.
# PYTHON names the interpreter whose pip is used, NODE_HOME the folder of Node 24.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$1"
cd "$1"
export PATH="$NODE_HOME/bin:$PATH"
export npm_config_audit=false npm_config_fund=false npm_config_loglevel=error
pip=("$PYTHON" -m pip -qq --disable-pip-version-check)

"${pip[@]}" install --upgrade --target python playwright==1.65.2 pillow==13.0.0
"${pip[@]}" wheel --wheel-dir wheels "$repository"

mkdir -p code-server
cd code-server
echo '{"private": true}' >package.json
# Its scripts would compile what a browser without a desktop does not need.
npm install --ignore-scripts code-server@4.139.1
cd node_modules/code-server/lib/vscode
npm install --omit=dev --omit=optional --ignore-scripts
# Of what is optional only the watching of files is wanted.
watcher=$(node -p 'require("@parcel/watcher/package.json").version')
npm install --no-save --omit=dev --omit=optional --ignore-scripts \
  "@parcel/watcher-$(node -p 'process.platform + "-" + process.arch')-glibc@$watcher"
