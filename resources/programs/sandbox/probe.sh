# Prints what the image can do, one word a line: `gnu` (find -printf), `rg`, `bash`, `scratch` (writable), and
# `open` if the kernel's files in /proc are not hidden or can be changed. Arguments: workspace, scratch, and to try
# the user: a file to make and one to delete, both in the workspace.
find / -maxdepth 0 -readable -printf '' 2>/dev/null && echo gnu
command -v rg >/dev/null 2>&1 && echo rg
[ -x /bin/bash ] && echo bash
[ -w "$2" ] && echo scratch
df -Pk "$2" 2>/dev/null
if { [ -f /proc/kcore ] && [ -r /proc/kcore ]; } || [ -w /proc/sys/kernel/core_pattern ]; then echo open; fi
[ -z "$3" ] && exit 0
( : > "$1/$3" ) 2>/dev/null
rm -f -- "$1/$4" 2>/dev/null
exit 0
