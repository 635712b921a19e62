"""The driver's end of a worker: starts it, asks, and says why it went."""
import multiprocessing

from worker import Gone, serve

PATIENCE = 300  # seconds for one answer; compilers take their time on a small machine
SPAWN = multiprocessing.get_context("spawn")  # most libraries count processors once, when they are loaded


class Process:
    """One subject with one number of threads. `processors`: those it may run on."""

    def __init__(self, name, threads, processors, cache):
        self.pipe, theirs = SPAWN.Pipe()
        self.child = SPAWN.Process(target=serve, args=(theirs, name, threads, processors, cache), daemon=True)
        self.child.start()
        theirs.close()

    def answer(self):
        """The next one, which may be the first: what the worker says of itself."""
        try:
            if not self.pipe.poll(PATIENCE):
                raise Gone(f"no answer within {PATIENCE} s")
            said = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.child.join()
            status = self.child.exitcode
            said = Gone(f"the process ended {f'by signal {-status}' if status < 0 else f'with status {status}'}")
        if isinstance(said, Exception):
            raise said
        return said

    def ask(self, do, **request):
        try:
            self.pipe.send((do, request))
        except OSError:
            pass  # it has ended, and answer() tells how
        return self.answer()

    def end(self):
        """One that does not end by itself is killed."""
        self.pipe.close()
        self.child.join(5)
        self.child.kill()
        self.child.join()
