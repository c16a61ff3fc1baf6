#!/usr/bin/env bash
# Unpacks a version of Python from the packages of Debian's testing release, for a machine that has an older release
# and no such Python:
#
#   tests/packages/install_python_of_debian.sh 3.14 build/python3.14
#
# Nothing is installed into the system. The interpreter is told to use the C library that comes with it, and is then
# FOLDER/usr/bin/pythonVERSION.
set -euo pipefail
version=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
python=$folder/usr/bin/python$version
! "$python" -c 'import venv' 2>/dev/null || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Python $version can be unpacked only by root on Debian." >&2
  exit 1
fi

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' | awk -v "release=$release" '$2 == release { print $1; exit }')
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive testing main" >"$apt/sources.list"
from_testing() {
  apt-get -qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists" \
    -o "Dir::Cache=$apt/cache" -o "Dir::State::status=$apt/status" -o APT::Sandbox::User=root "$@"
}
from_testing update
from_testing install -y --download-only --no-install-recommends "python$version-venv" libstdc++6 >/dev/null
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
rm -r "$apt"

command -v patchelf >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends patchelf >/dev/null
libraries=$folder/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || echo "$(uname -m)-linux-gnu")
patchelf --set-interpreter "$(echo "$libraries"/ld-linux*.so.*)" --force-rpath --set-rpath "$libraries" "$python"
# Debian keeps pip beside Python, at a place in the system.
sed -i "s#/usr/share/python-wheels#$folder/usr/share/python-wheels#" "$folder/usr/lib/python$version"/_sysconfig*
"$python" -c 'import ensurepip, ssl, sqlite3, sys, venv; print("Python", sys.version.split()[0])'
