# For an image without ripgrep: reads file names, each ended by NUL, and prints like ripgrep. Arguments: pattern,
# options for grep. Exits with 2 if the pattern is not valid.
pattern=$1; shift
echo x | grep "$@" -e "$pattern" >/dev/null; [ $? -eq 2 ] && exit 2
exec xargs -0 -r sh -c 'pattern=$1; options=$2; shift 2
for f; do
  grep -n $options -e "$pattern" -- "$f" 2>/dev/null |
  while IFS= read -r line; do printf "%s\0%s\n" "$f" "$line"; done
done; exit 0' grep "$pattern" "$*"
