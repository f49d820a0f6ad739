#!/bin/bash
# get-kernel.sh - fetch a Debian kernel WITHOUT installing it.
#   get-kernel.sh NAME SUITE[@ARCH] FLAVOUR [VERSION-REGEX]
# e.g. get-kernel.sh 5.10 bullseye-security amd64
#      get-kernel.sh 6.1-cloud bookworm-security cloud-amd64
#      get-kernel.sh 7.2 trixie-backports amd64 '^7\.2'
# Result: $KERNELS/NAME/{vmlinuz,config,release,lib/modules/REL} ($KERNELS default $KERNELS/../kern).
# Takes the newest ABI whose name matches VERSION-REGEX. Debian >= 7.x splits the package in
# linux-binary-ABI (vmlinuz), linux-modules-ABI (modules), linux-base-ABI (config); older: one .deb.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); K=${KERNELS:-${TMPDIR:-/tmp}/tuneaudit-vm/kern}
name=$1 suite=$2 flav=$3 re=${4:-.}
[[ -e $K/$name/release ]] && { echo "$name: $(cat "$K/$name/release") (cached)"; exit 0; }
abis=$("$here/debget.sh" --list "$suite" linux-image- | sed -n "s/^linux-image-\([0-9].*\)$/\1/p" |
   grep -E -- "-$flav\$" | grep -vE -- "-rt-|dbg" | { [[ $flav == cloud* ]] && cat || grep -v cloud; } |
   grep -E "^[0-9]+\.[0-9]+\.[0-9]+" | grep -E "$re" | sort -Vr | head -6)
[[ $abis ]] || { echo "no kernel for $*" >&2; exit 1; }
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
mkdir -p "$K/$name"
# a suite's index may still name ABIs whose files are gone: newest first, until one can be had whole
got=; for abi in $abis; do rm -f "$d"/*.deb
  "$here/debget.sh" "$suite" "$d" "linux-image-$abi" 2>/dev/null || continue
  if [[ $(stat -c %s "$d"/*.deb) -lt 100000 ]]; then    # metapackage: split layout
    rm "$d"/*.deb; "$here/debget.sh" "$suite" "$d" "linux-binary-$abi" "linux-modules-$abi" "linux-base-$abi" 2>/dev/null || continue
  fi; got=$abi; break; done
[[ $got ]] || { echo "no kernel can be fetched for $*" >&2; rm -rf "${K:?}/$name"; exit 1; }
# only the module folders a test guest can want (a quarter of the time and a tenth of the disk); ALL=1 takes everything
mkdir -p "$d/x"
pat=('*/boot/*' '*/vmlinu*' '*/config*' '*/modules.builtin*' '*/modules.order'
  '*/kernel/drivers/virtio/*' '*/kernel/drivers/nvme/*' '*/kernel/drivers/block/*' '*/kernel/drivers/cpufreq/*' '*/kernel/drivers/char/*'
  '*/kernel/drivers/net/*.ko*' '*/kernel/drivers/net/ethernet/intel/*' '*/kernel/drivers/net/ethernet/broadcom/*' '*/kernel/drivers/net/vmxnet3/*' '*/kernel/drivers/net/bonding/*' '*/kernel/drivers/net/netdevsim/*' '*/kernel/drivers/net/team/*'
  '*/kernel/drivers/net/phy/*' '*/kernel/drivers/net/mdio/*' '*/kernel/drivers/ptp/*' '*/kernel/drivers/dca/*' '*/kernel/drivers/pps/*' '*/kernel/drivers/i2c/*' '*/kernel/drivers/scsi/*' '*/kernel/drivers/dax/*' '*/kernel/drivers/hwmon/*'
  '*/kernel/fs/*' '*/kernel/net/*' '*/kernel/lib/*' '*/kernel/crypto/*' '*/kernel/arch/*' '*/kernel/mm/*' '*/kernel/block/*')
for f in "$d"/*.deb; do
  if [[ ${ALL-} ]]; then dpkg -x "$f" "$d/x"; else dpkg-deb --fsys-tarfile "$f" | tar -x -C "$d/x" --wildcards "${pat[@]}" 2>/dev/null || true; fi
done
rel=$(basename "$(ls -d "$d"/x/lib/modules/* "$d"/x/usr/lib/modules/* 2>/dev/null | head -1)")
rm -rf "${K:?}/$name/lib"; mkdir -p "$K/$name/lib/modules"
for m in "$d"/x/lib/modules "$d"/x/usr/lib/modules; do [[ -d $m/$rel ]] && cp -a --no-preserve=ownership "$m/$rel" "$K/$name/lib/modules/"; done
v=$(find "$d/x" -name "vmlinu[xz]*" -type f | head -1); cp "$v" "$K/$name/vmlinuz"
c=$(find "$d/x" -name 'config-*' -o -path '*/modules/*/config' | head -1); [[ $c ]] && cp "$c" "$K/$name/config"
[[ -e $K/$name/lib/modules/$rel/modules.dep ]] || depmod -b "$K/$name" "$rel"
echo "$rel" > "$K/$name/release"
echo "$name: $rel ($(du -sh "$K/$name" | cut -f1))"
