# A session without the other end's part, which is an operand of its own.
BEGIN {
	while ((getline line < "../../../corpus/sessions/held-both-ways.txt") > 0 && line != "$ ssh lb.example")
		print line
}
