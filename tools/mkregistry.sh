#!/bin/sh
# Prints the registries: one table per kind of thing, from the names of the files given.
# A file that lacks its symbol is a link error.
set -eu

# table KIND PREFIX ARRAY COUNT FILES…: `const struct KIND PREFIX_NAME` of each file.
table() {
	kind=$1 prefix=$2 array=$3 count=$4
	shift 4
	for f; do n=$(basename "$f" .c); echo "extern const struct $kind ${prefix}_$n;"; done
	echo "const struct $kind *const ${array}[] = {"
	for f; do n=$(basename "$f" .c); echo "	&${prefix}_$n,"; done
	echo "	NULL,"
	echo "};"
	echo "const size_t $count = $#;"
	echo
}

probes='' derivations='' fixers='' knobs='' engines='' workloads='' services='' formats='' commands=''
for f in $(printf '%s\n' "$@" | LC_ALL=C sort); do
	case $f in
	probes/*) probes="$probes $f" ;;
	src/derive/*) derivations="$derivations $f" ;;
	src/fix/fixers/*) fixers="$fixers $f" ;;
	src/fix/knobs/*) knobs="$knobs $f" ;;
	src/load/engines/*) engines="$engines $f" ;;
	src/load/workloads/*) workloads="$workloads $f" ;;
	src/load/services/*) services="$services $f" ;;
	src/report/formats/*) formats="$formats $f" ;;
	src/cli/cmds/*) commands="$commands $f" ;;
	esac
done

cat <<'H'
/* Made by tools/mkregistry.sh from the list of files. */
#include "base/macros.h"
#include "cli/command.h"
#include "derive/derive.h"
#include "fix/fixer.h"
#include "fix/knob.h"
#include "load/service.h"
#include "load/workload.h"
#include "probe/probe.h"
#include "report/report.h"

H
table ta_probe ta_probe ta_probes ta_n_probes $probes
table ta_derivation ta_derive ta_derivations ta_n_derivations $derivations
table ta_fixer ta_fixer ta_fixers ta_n_fixers $fixers
table ta_knob ta_knob ta_knobs ta_n_knobs $knobs
table ta_engine ta_engine ta_engines ta_n_engines $engines
table ta_workload ta_workload ta_workloads ta_n_workloads $workloads
table ta_service ta_service ta_services ta_n_services $services
table ta_format ta_format ta_formats ta_n_formats $formats
table ta_command ta_command ta_commands ta_n_commands $commands
