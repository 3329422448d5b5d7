"""DNS server on loopback with TXT records and failures."""

import socket
import threading

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

MAX_QUERY_BYTES = 4096


class DnsServer:
    """Answers TXT queries from `records`. Other names don't exist. Names in `failing` get a server failure."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "{}#{}".format(*self._socket.getsockname())
        self.reset()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def reset(self) -> None:
        self.records: dict[str, list[str]] = {}
        self.failing: set[str] = set()

    def stop(self) -> None:
        port = self._socket.getsockname()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.sendto(b"", port)  # an empty datagram ends the loop
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            query, client = self._socket.recvfrom(MAX_QUERY_BYTES)
            if not query:
                return
            self._socket.sendto(self._answer(dns.message.from_wire(query)).to_wire(), client)

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        response = dns.message.make_response(query)
        response.flags |= dns.flags.RA
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True).lower()
        if name in self.failing:
            response.set_rcode(dns.rcode.SERVFAIL)
        elif name not in self.records:
            response.set_rcode(dns.rcode.NXDOMAIN)
        elif self.records[name]:
            texts = [f'"{text}"' for text in self.records[name]]
            response.answer.append(dns.rrset.from_text(question.name, 300, "IN", "TXT", *texts))
        return response
