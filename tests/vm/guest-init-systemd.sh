#!/bin/busybox sh
# shellcheck shell=dash
# /init of a test guest whose root is a disk (/dev/vda, made by build-rootfs.sh) with systemd as process 1. The kernel's modules and
# the test (/t) come from the initramfs, so that one image serves every kernel; the unit that runs the test is put into /run.
# /t/root is laid over the disk once, at its first start: the host as the test wants to find it.
B=/bin/busybox; export PATH=/usr/sbin:/usr/bin:/sbin:/bin
$B mount -t proc proc /proc; $B mount -t sysfs sysfs /sys; $B mount -t devtmpfs dev /dev 2> /dev/null
$B --install -s /bin 2> /dev/null
mount -t tmpfs -o mode=755 run /run
for m in virtio_pci virtio_blk crc32c_generic ext4 virtio_console; do modprobe $m 2> /dev/null; done
i=0; while [ ! -b /dev/vda ] && [ $i -lt 100 ]; do usleep 20000; i=$((i + 1)); done
mkdir -p /n
mount -t ext4 -o rw,noatime /dev/vda /n || { echo "no root"; poweroff -f; }
rel=$(uname -r)
mkdir -p "/n/usr/lib/modules/$rel" /run/t /run/systemd/system/multi-user.target.wants
mount -t tmpfs -o mode=755 modules "/n/usr/lib/modules/$rel"
cp -a "/lib/modules/$rel/." "/n/usr/lib/modules/$rel/"
cp -a /t/. /run/t/
[ -e /n/var/lib/laid-over ] || { cp -a /t/root/. /n/; : > /n/var/lib/laid-over; }
# On a busy host the kernel may measure a wrong speed of its clock, which then runs twenty times too fast: such a start is none.
cat > /run/t/clock.sh << 'U'
#!/bin/sh
read -r then < /sys/class/rtc/rtc0/since_epoch
sleep 3
read -r now < /sys/class/rtc/rtc0/since_epoch
[ $((now - then)) -ge 2 ] && [ $((now - then)) -le 15 ]
U
chmod 755 /run/t/clock.sh
cat > /run/systemd/system/testrun.service << U
[Unit]
Description=the test
After=systemd-sysctl.service systemd-tmpfiles-setup.service systemd-modules-load.service dbus.service network.target
[Service]
Type=exec
WorkingDirectory=/run/t
ExecStart=/bin/sh -c 'udevadm settle -t 20 -E /dev/virtio-ports/rc; udevadm settle -t 20; ./clock.sh || exec systemctl reboot --force --force; echo start > /dev/virtio-ports/rc; ./run.sh > /dev/virtio-ports/out 2>&1; echo \$\$? > /dev/virtio-ports/rc; sync; systemctl reboot --no-block'
StandardOutput=null
LimitNOFILE=infinity
U
ln -s ../testrun.service /run/systemd/system/multi-user.target.wants/
for d in proc sys dev run; do mount --move /$d /n/$d; done
exec switch_root /n /sbin/init
