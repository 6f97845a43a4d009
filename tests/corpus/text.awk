# Writes what text-rows.jq gives as iperf3 3.12 prints it at the client: OUT/NAME.txt.

BEGIN { FS = "\t" }

function id(socket) { return socket == "SUM" ? socket : sprintf("%3d", socket) }

$2 == "begin" {
	text = out "/" $1 ".txt"
	streams = $3
	rows = 0
	print "Connecting to host " $4 ", port " $5 >text
}
$2 == "connected" {
	printf "[%3d] local %s port %d connected to %s port %d\n", $3, $4, $5, $6, $7 >text
}
$2 == "row" {
	if (rows++ == 0)
		print "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd" >text
	else if (streams > 1 && (rows - 1) % streams == 0)
		print "- - - - - - - - - - - - - - - - - - - - - - - - -" >text
	printf "%s  %3d   %s       \n", row_text(id($3), $4, $5, $7, $6), $8, size_text($9) >text
}
$2 == "sum" { printf "%s  %3d             \n", row_text($3, $4, $5, $7, $6), $8 >text }
$2 == "end" {
	print "- - - - - - - - - - - - - - - - - - - - - - - - -" >text
	print "[ ID] Interval           Transfer     Bitrate         Retr" >text
}
$2 == "sent" { printf "%s  %3d             sender\n", row_text(id($3), 0, $4, $5, $4), $6 >text }
$2 == "received" { printf "%s                  receiver\n", row_text(id($3), 0, $4, $5, $4) >text }
$2 == "done" {
	print "\niperf Done." >text
	close(text)
}
