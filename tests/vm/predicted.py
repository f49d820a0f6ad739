#!/usr/bin/env python3
"""predicted.py DIR - what tuneaudit said that the next boot would do (DIR/predicted.json, its facts before that boot) against what the
kernel, ethtool and udev said after it (DIR/real). Prints "not ok …" for each difference, then "N predictions held"; 1 if one did not,
or if there was none.
"""
import json, os, re, sys

here = sys.argv[1]
real = os.path.join(here, 'real')
facts = json.load(open(os.path.join(here, 'predicted.json')))['facts']
held, wrong = 0, []


def text(name):
    try:
        with open(os.path.join(real, name), errors='replace') as f:
            return f.read()
    except OSError:
        return ''


def judge(what, predicted, seen):
    global held
    if predicted == seen:
        held += 1
    else:
        wrong.append('%s: predicted %r, the boot made it %r' % (what, predicted, seen))


def lines_of(name):
    """"FILE:VALUE" as grep -r '' prints it; of several lines of one file the first."""
    ret = {}
    for line in text(name).splitlines():
        path, _, value = line.partition(':')
        ret.setdefault(path, value)
    return ret


def sysctls():
    seen = {k[len('/proc/sys/'):]: ' '.join(v.split()) for k, v in lines_of('sysctl').items()}
    for key, s in facts['settings'].items():
        now = seen.get(key.replace('.', '/'))
        if now is None:
            if s.get('comparable'):
                wrong.append('%s: predicted %r, the kernel has no such sysctl' % (key, s.get('next_boot')))
        elif s.get('comparable'):
            judge(key, ' '.join(s['next_boot'].split()), now)
        elif s.get('persisted') and (s.get('refused') or s.get('in_time') is False):
            judge('%s takes %r' % (key, s['value']), False, now == ' '.join(s['value'].split()))
        elif s.get('persisted') is False and s.get('ignored'):
            judge('%s is set' % key, False, now == ' '.join(s.get('value', '?').split()))


def now_in(name, word):
    """The current value in the second half of `ethtool -l` and `-g`."""
    values = re.findall(r'^%s:\s+(\d+)' % word, text(name), re.M)
    return int(values[-1]) if values else None


def nics():
    for n, nic in facts['nics'].items():
        boot = nic.get('boot')
        udev = dict(line.split('=', 1) for line in text('udev.' + n).splitlines() if '=' in line)
        if not boot or not udev:
            continue
        judge(n + ' file', boot.get('file'), udev.get('ID_NET_LINK_FILE', '').replace('/lib/systemd', '/usr/lib/systemd', 1)
              if udev.get('ID_NET_LINK_FILE', '').startswith('/lib/') else udev.get('ID_NET_LINK_FILE', ''))
        attributes = {k.rsplit('/', 1)[1]: int(v) for k, v in lines_of('sys.' + n).items()}
        for key, seen in (('combined_channels', now_in('ethtool-l.' + n, 'Combined')), ('rx_channels', now_in('ethtool-l.' + n, 'RX')),
                          ('tx_channels', now_in('ethtool-l.' + n, 'TX')), ('rx_ring', now_in('ethtool-g.' + n, 'RX')),
                          ('tx_ring', now_in('ethtool-g.' + n, 'TX')), ('mtu', attributes.get('mtu')), ('txqueuelen', attributes.get('tx_queue_len'))):
            if key in boot:
                judge('%s %s' % (n, key), boot[key], seen)


LEGACY = {'rx-gro': 'generic-receive-offload', 'tx-generic-segmentation': 'generic-segmentation-offload', 'rx-lro': 'large-receive-offload',
          'rx-checksum': 'rx-checksumming', 'rx-hashing': 'receive-hashing', 'rx-ntuple-filter': 'ntuple-filters',
          'rx-vlan-hw-parse': 'rx-vlan-offload', 'tx-vlan-hw-insert': 'tx-vlan-offload'}


def seen_of(target, p):
    """What others say of one setting of a device or memory; None: they say nothing of it."""
    n, setting = p.get('device', ''), p.get('setting', '')
    if p['kind'] == 'attr':
        value = lines_of('attr').get(target)
        chosen = re.search(r'\[([^]]*)\]', value or '')
        return chosen.group(1) if chosen else value
    if p['kind'] in ('channels', 'rings'):
        word = {'combined': 'Combined', 'rx': 'RX', 'tx': 'TX', 'other': 'Other'}.get(setting, setting)
        value = now_in('ethtool-%s.%s' % ('l' if p['kind'] == 'channels' else 'g', n), word)
        return None if value is None else str(value)
    if p['kind'] == 'features':
        value = re.search(r'^\s*%s: (on|off)' % re.escape(LEGACY.get(setting, setting)), text('ethtool-k.' + n), re.M)
        return value.group(1) if value else None
    if p['kind'] == 'coalesce':
        value = re.search(r'^%s:\s+(\d+)' % re.escape(setting), text('ethtool-c.' + n), re.M)
        return value.group(1) if value else None
    return lines_of('sys.' + n).get('/sys/class/net/%s/%s' % (n, {'txqueuelen': 'tx_queue_len', 'mtu': 'mtu'}.get(p['kind'], '')))


def devices():
    for target, p in facts.get('persist', {}).items():
        seen = seen_of(target, p)
        if p.get('persisted') and seen is None:
            print('info predicted: nothing else tells of %s (%s)' % (target, p.get('next_boot')))
        elif p.get('comparable'):
            judge(target, p['next_boot'], seen)
        elif p.get('persisted') and p.get('refused'):
            judge('%s takes %r' % (target, p['value']), False, seen == p['value'])


def modules():
    loaded = {line.replace('-', '_') for line in text('modules').split()}
    for m in facts['boot'].get('modules', []):
        judge('module %s is there' % m, True, m in loaded)


sysctls()
nics()
devices()
modules()
for w in wrong:
    print('not ok predicted: ' + w)
print('%d predictions held' % held)
sys.exit(1 if wrong or not held else 0)
