#!/usr/bin/env bash
# Installs into a folder what the tests of the VS Code extension drive:
#   install.sh FOLDER
# VS Code's server (code-server), Playwright, and Chromium where it is missing and this is Debian's root.
# PYTHON names the interpreter whose pip is used, NODE_HOME the folder of Node 24.
set -euo pipefail
mkdir -p "$1"
cd "$1"
export PATH="$NODE_HOME/bin:$PATH"
export npm_config_audit=false npm_config_fund=false npm_config_loglevel=error

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Chromium is missing: install it first, as with: apt-get install chromium fonts-dejavu-core" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
fi

"$PYTHON" -m pip -qq --disable-pip-version-check install --upgrade --target python playwright==1.65.2

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
