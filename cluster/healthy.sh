# The health check of every container: exit 0 where an HTTP server within answers 200, else 1.
#
#     bash cluster/healthy.sh PORT PATH [SECONDS]
#
# It runs every few seconds in each of many containers, so it starts nothing but itself: bash has
# sockets of its own, and costs a fifteenth of what an interpreter of Python does.

exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3 || exit 1
IFS=' ' read -r -t "${3:-2}" _ status _ <&3
# To the end: a server whose answer is left unread may complain.
while read -r -t "${3:-2}" _ <&3; do :; done
[[ $status == 200 ]]
