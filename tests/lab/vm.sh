#!/bin/sh
# The closed loop on another kernel: Debian 12's 6.1, where half of tcp_rmem is window, booted under
# plain emulation from an initramfs made here.  RTT 200 ms, receiver held.
#
#   vm.sh [-b BDP] [-d DIRECTORY for the kernel package and what is made of it] [-k KEEP-DIRECTORY]
#
# Skipped (exit 77), with the reason, where qemu, the kernel package or a tool is missing.

VM_HERE=$(cd "$(dirname "$0")" && pwd)
VM_PACKAGE=linux-image-cloud-amd64
VM_MODULES='veth sch_netem inet_diag tcp_diag tcp_bbr'

vm_say() { printf '%s\n' "$*" >&2; }
vm_die() { vm_say "vm: $*"; exit 1; }
vm_skip() { vm_say "vm: skipped: $*"; exit 77; }

# The kernel package, downloaded once and taken apart, never installed.
vm_kernel() {
	vm_name=$(apt-cache depends $VM_PACKAGE 2>/dev/null |
		awk '/Depends: linux-image-/ { print $2; exit }')
	[ -n "$vm_name" ] || vm_skip "no package $VM_PACKAGE"
	vm_root=$vm_dir/$vm_name
	if [ ! -d "$vm_root" ]; then
		(cd "$vm_dir" && apt-get -q download "$vm_name" >/dev/null 2>&1) ||
			vm_skip "cannot download $vm_name"
		dpkg-deb -x "$vm_dir/$vm_name"_*.deb "$vm_root.part" || vm_die "cannot extract $vm_name"
		mv "$vm_root.part" "$vm_root"
	fi
	for vm_image in "$vm_root"/boot/vmlinuz-*; do :; done
	[ -f "$vm_image" ] || vm_die "no kernel in $vm_name"
}

# A program and the libraries that it is linked with.
vm_install() {
	for vm_program in "$@"; do
		vm_path=$(command -v "$vm_program") || vm_skip "no $vm_program"
		cp "$vm_path" "$vm_tree/bin/"
		ldd "$vm_path" 2>/dev/null | grep -o '/[^ ]*' | while read -r vm_library; do
			mkdir -p "$vm_tree${vm_library%/*}"
			cp -L "$vm_library" "$vm_tree$vm_library"
		done
	done
}

vm_initramfs() {
	vm_tree=$vm_tmp/tree
	mkdir -p "$vm_tree/bin" "$vm_tree/modules" "$vm_tree/proc" "$vm_tree/sys" "$vm_tree/dev"
	cp "$(command -v busybox)" "$vm_tree/bin/busybox"
	for vm_applet in $(busybox --list); do
		ln -s busybox "$vm_tree/bin/$vm_applet" 2>/dev/null
	done
	rm -f "$vm_tree/bin/ip" "$vm_tree/bin/tc"
	vm_install ip tc ss iperf3
	cp "$BDP" "$vm_tree/bin/bdp"
	cp "$VM_HERE/vm-guest.sh" "$vm_tree/init"
	chmod 755 "$vm_tree/init"
	for vm_module in $VM_MODULES; do
		find "$vm_root/lib/modules" -name "$vm_module.ko" -exec cp {} "$vm_tree/modules/" \;
	done
	(cd "$vm_tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$vm_tmp/initramfs.gz"
}

vm_boot() {
	vm_settings="bdp.ceiling=$vm_ceiling bdp.target=$vm_target bdp.delay_ms=100"
	vm_settings="$vm_settings bdp.seconds=5 bdp.omit=5"
	timeout 400 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 \
		-kernel "$vm_image" -initrd "$vm_tmp/initramfs.gz" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check random.trust_cpu=on mitigations=off $vm_settings" \
		-display none -monitor none -no-reboot -nic none \
		-serial "file:$vm_tmp/console.txt" -serial "file:$vm_tmp/out.tar" &
	vm_pid=$!
	wait $vm_pid || vm_say "vm: qemu ended with $?"
	vm_pid=
	grep -a guest: "$vm_tmp/console.txt"
	mkdir -p "$vm_keep"
	cp "$vm_tmp/console.txt" "$vm_keep/"
	tar -C "$vm_keep" -xf "$vm_tmp/out.tar" || vm_die "the machine left nothing: $vm_keep/console.txt"
}

vm_rate() { jq '.end.sum_received.bits_per_second // 0 | round' "$vm_keep/$1.json"; }

vm_check() {
	# shellcheck disable=SC1072,SC1073,SC1009
	if test "$2" "$3" "$4"; then
		echo "ok    $1: $2 $3 $4"
	else
		echo "FAIL  $1: $2 $3 $4"
		vm_failed=1
	fi
}

# What must hold: the plan is the kernel's own arithmetic (tcp_adv_win_scale 1: half is window), and
# the path does what was asked for.
vm_judge() {
	vm_failed=0
	vm_set=$(jq -r '[.settings[] | select(.key == "net.ipv4.tcp_rmem")][0].value | split(" ")[2]' \
		"$vm_keep/plan.json")
	vm_need=$((vm_target / 20)) # 2 x BDP in bytes at 200 ms
	echo "kernel $(jq -r .start.system_info "$vm_keep/before.json" | cut -d' ' -f3)," \
		"before $(vm_rate before), target $vm_target, set $vm_set (was $vm_ceiling)," \
		"after $(vm_rate after), predicted $(jq .plan.predicted_bps "$vm_keep/plan.json")"
	for vm_step in advise apply rollback; do
		vm_check "$vm_step" "$(cat "$vm_keep/$vm_step.status")" = 0
	done
	vm_check "record" "$(cat "$vm_keep/record.status")" = 0
	vm_check "recorded, both ends" "$("$BDP" --no-host -t "$vm_target" -o json "$vm_keep/record.txt" |
		jq -r '[.limit.factor, (.settings[] | select(.key == "net.ipv4.tcp_rmem").current)] | join(" ")')" \
		= "receive-window 4096 131072 $vm_ceiling"
	vm_check "found" "$(jq -r .limit.factor "$vm_keep/plan.json")" = receive-window
	vm_check "RTT at least (us)" "$(jq '.path.rtt.us | round' "$vm_keep/plan.json")" -ge 198000
	vm_check "RTT at most (us)" "$(jq '.path.rtt.us | round' "$vm_keep/plan.json")" -le 215000
	vm_check "ceiling at least" "$vm_set" -ge $((vm_need * 9 / 10))
	vm_check "ceiling at most" "$vm_set" -le $((vm_need * 3 / 2))
	vm_check "applied" "$(awk '{ print $3 }' "$vm_keep/rmem.applied")" = "$vm_set"
	vm_check "taken back" "$(awk '{ print $3 }' "$vm_keep/rmem.restored")" = "$vm_ceiling"
	vm_check "held before" "$(vm_rate before)" -le $((vm_target / 2))
	vm_check "rate after" "$(vm_rate after)" -ge $((vm_target * 95 / 100))
	return $vm_failed
}

BDP=${BDP:-$VM_HERE/../../bdp}
vm_dir=$VM_HERE/../../build/vm vm_keep=
while getopts b:d:k: vm_opt; do
	case $vm_opt in
	b) BDP=$OPTARG ;;
	d) vm_dir=$OPTARG ;;
	k) vm_keep=$OPTARG ;;
	*) vm_say "usage: vm.sh [-b BDP] [-d DIRECTORY] [-k DIRECTORY]"; exit 2 ;;
	esac
done
for vm_tool in qemu-system-x86_64 busybox cpio apt-get dpkg-deb jq timeout; do
	command -v $vm_tool >/dev/null || vm_skip "no $vm_tool"
done
[ -x "$BDP" ] || vm_die "no $BDP: run make first"
[ "$(uname -m)" = x86_64 ] || vm_skip "not x86_64"
vm_pid=
vm_tmp=$(mktemp -d "${TMPDIR:-/tmp}/bdp-vm.XXXXXX") || exit 1
trap 'trap "" HUP INT TERM; [ -z "$vm_pid" ] || kill "$vm_pid" 2>/dev/null; rm -rf "$vm_tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
vm_keep=${vm_keep:-$vm_tmp/keep}
# 1 MiB of window over 200 ms is 42 Mbit/s: held to a quarter of a target that emulation carries.
vm_ceiling=2097152 vm_target=150000000
mkdir -p "$vm_dir" && vm_dir=$(cd "$vm_dir" && pwd) || exit 1
vm_kernel
vm_initramfs
vm_boot
vm_judge
