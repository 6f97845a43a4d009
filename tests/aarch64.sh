#!/bin/sh
# Builds for 64-bit ARM with Debian's cross compiler, and runs the unit tests, the whole-program cases
# and the recorded runs under qemu's user emulation.  Usage: tests/aarch64.sh, by `make check-aarch64`.
#
# The libraries for ARM are unpacked below build/aarch64 from packages that apt fetches with lists of
# its own: what is installed on this machine, and which architectures dpkg knows, stays as it is.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/build/aarch64
lib=usr/lib/aarch64-linux-gnu
libraries='libbsd-dev libbsd0 libmd-dev libmd0 libcmocka-dev libcmocka0'
mkdir -p "$build/lists/partial" "$build/packages"

fetch() {
	cat >"$build/apt.conf" <<-END
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
		Dir::State::lists "$build/lists";
		Dir::State::status "/dev/null";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	END
	export APT_CONFIG="$build/apt.conf"
	apt-get -q update >"$build/log" 2>&1 || fail
	# shellcheck disable=SC2086 # the list is words
	(cd "$build/packages" && apt-get -q download $libraries) >"$build/log" 2>&1 || fail
	unset APT_CONFIG
	for package in "$build"/packages/*.deb; do dpkg-deb -x "$package" "$build/root"; done
	# a linker script with absolute names in it
	ln -sf libbsd.so.0 "$build/root/$lib/libbsd.so"
	rm -r "$build/lists"
	touch "$build/fetched"
}

fail() {
	cat "$build/log"
	exit 1
}

[ -e "$build/fetched" ] || fetch

# What is linked dynamically finds the C library of the cross compiler, and the ones above; by the
# loader's options, since qemu's own (-L) would show another root directory.
cross=/usr/aarch64-linux-gnu/lib
cat >"$build/emulate" <<END
#!/bin/sh
exec qemu-aarch64 $cross/ld-linux-aarch64.so.1 --library-path "$cross:$build/root/$lib" "\$@"
END
cat >"$build/emulated-bdp" <<END
#!/bin/sh
exec qemu-aarch64 "$build/bdp" "\$@"
END
chmod +x "$build/emulate" "$build/emulated-bdp"

EMULATOR=$build/emulate make --no-print-directory B=build/aarch64 CC=aarch64-linux-gnu-gcc \
	AR=aarch64-linux-gnu-ar CPPFLAGS="-isystem $build/root/usr/include" \
	LDFLAGS="-L$build/root/$lib" build/aarch64/bdp unit
"$build/emulated-bdp" --version
BDP=$build/emulated-bdp tests/e2e/run.sh
BDP=$build/emulated-bdp tests/corpus/check.sh | tail -n 2
echo "aarch64: ok"
