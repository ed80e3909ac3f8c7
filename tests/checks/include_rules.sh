#!/bin/bash
# Fails where a file under src/ includes a header that its folder may not use: DuckDB's headers belong
# to src/integration/, OpenCL's to src/device/, and a folder uses only those that its CMakeLists.txt lists
# after USES.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0

refuse() {
  echo "$1: $2"
  status=1
}

layers=' '
for folder in src/*/; do layers+="$(basename "$folder") "; done

for folder in src/*/; do
  layer=$(basename "$folder")
  uses=$(grep -ho "margay_add_layer($layer.*)" "$folder/CMakeLists.txt" | tr ')' ' ')
  uses=" $layer ${uses#* USES } "
  while IFS=: read -r file line text; do
    [[ $text =~ [\<\"]([^\>\"]+)[\>\"] ]] || continue
    header=${BASH_REMATCH[1]}
    case $header in
      CL/*) [ "$layer" = device ] || refuse "$file:$line" "only src/device/ may include <$header>" ;;
      duckdb.h | duckdb.hpp | duckdb/*)
        [ "$layer" = integration ] || refuse "$file:$line" "only src/integration/ may include $header"
        ;;
      */*)
        other=${header%%/*}
        if [[ $layers == *" $other "* && $uses != *" $other "* ]]; then
          refuse "$file:$line" "src/$layer/ may not use src/$other/ ($header)"
        fi
        ;;
    esac
  done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.hpp' --include='*.cpp' "$folder" || true)
done
exit $status
