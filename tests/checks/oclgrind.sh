#!/bin/bash
# usage: oclgrind.sh LIBRARY SQL_TESTS
# Runs the small SQL tests on Oclgrind, which interprets kernels and reports data races and invalid
# memory accesses. It goes on after a report and leaves the exit status alone, so its log must be
# empty. LIBRARY is its OpenCL platform, the only one that the loader gets to see: a second one with
# another LLVM in the process would crash. It gets the 48 KiB of local memory that the lanes shape is
# made for. Kernels are not optimised: Oclgrind does not know all that optimisers make of them
# (funnel shifts, vectors of bits), and sees accesses that they would leave out.
set -euo pipefail
library=$1 sql_tests=$2
folder=build/oclgrind
log=$folder/report.txt
mkdir -p $folder/vendors
echo "$library" >$folder/vendors/oclgrind.icd
rm -f $log

status=0
OCL_ICD_VENDORS=$PWD/$folder/vendors OCLGRIND_DATA_RACES=1 \
  OCLGRIND_BUILD_OPTIONS=-cl-opt-disable \
  OCLGRIND_LOCAL_MEM_SIZE=49152 OCLGRIND_LOG=$PWD/$log \
  "$sql_tests" --oclgrind --cache $folder/kernels || status=$?
if [ -s $log ]; then
  echo "Oclgrind reports (first lines of $log):"
  head -n 60 $log
  status=1
fi
exit $status
