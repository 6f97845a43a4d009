# iperf3 -J --get-server-output: the document of the sender, with the server's text as a string in it.
BEGIN {
	corpus = "../../../corpus/iperf3/bufferbloat.3.1.7"
	while ((getline line < (corpus ".server.txt")) > 0)
		text = text line "\\n"
	while ((getline line < (corpus ".json")) > 0)
		print line == "}" ? ",\"server_output_text\": \"" text "\"}" : line
}
