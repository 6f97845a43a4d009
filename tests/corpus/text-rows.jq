# The numbers of a client's -J document that its text would print, a line each, for text.awk.
(input_filename | split("/") | last | rtrimstr(".json")) as $name
| (.start.connected | length) as $streams
| ([$name, "begin", $streams, .start.connecting_to.host, .start.connecting_to.port]),
  (.start.connected[] | [$name, "connected", .socket, .local_host, .local_port, .remote_host, .remote_port]),
  (.intervals[]
    | (.streams[] | [$name, "row", .socket, .start, .end, .seconds, .bytes, .retransmits // 0, .snd_cwnd // 0]),
      (select($streams > 1) | .sum | [$name, "sum", "SUM", .start, .end, .seconds, .bytes, .retransmits // 0])),
  [$name, "end"],
  (.end.streams[]?
    | (.sender | [$name, "sent", .socket, .end, .bytes, .retransmits // 0]),
      (.receiver | [$name, "received", .socket, .end, .bytes])),
  (select($streams > 1) | .end | (.sum_sent | [$name, "sent", "SUM", .end, .bytes, .retransmits // 0]),
      (.sum_received | [$name, "received", "SUM", .end, .bytes])),
  [$name, "done"]
| @tsv
