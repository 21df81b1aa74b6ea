"""A relay between a browser and a server, which can be cut and mended."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Proxy:
    """Connections to `port` reach a server at another one, until they are cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._pairs: list[socket.socket] = []
        self._is_open = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and refuse others."""
        self._is_open = False
        for end in self._pairs:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._pairs.clear()

    def mend(self) -> None:
        """Let connections through again."""
        self._is_open = True

    def close(self) -> None:
        """End everything."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._is_open:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._target))
            self._pairs += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=_relay, args=(source, sink), daemon=True).start()


def _relay(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)
