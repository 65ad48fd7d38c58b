"""Never says anything but noise once it was greeted."""
from base import Server, raw


class EndlessNoise(Server):
    def call(self, request):
        line = b"x" * 999 + b"\n"
        while True:
            raw(line * 1000)


EndlessNoise().serve()
