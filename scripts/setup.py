"""Set up Deskside: ``python3 scripts/setup.py [--dev] [--again]``. Standard library only.

Makes ``.venv`` with everything in it, or says in a second that it is all there. What it brings:
torch as a CPU build where there is no NVIDIA device, the libraries of pyproject.toml at the
versions of constraints.txt, unstructured-inference without its dependencies (they would bring
4 GB), and llama-cpp-python compiled for this computer, once, kept in the user's cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "deskside-setup.json"
LOG = VENV / "setup.log"

OLDEST, NEWEST = (3, 11), (3, 13)
TORCH = "torch==2.13.0"
TORCH_INDEX = "DESKSIDE_TORCH_INDEX"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
LLAMA = "llama-cpp-python"
# MTMD_BUILD is not known to its CMakeLists; LLAVA_BUILD=OFF saves a quarter of the time.
LLAMA_FLAGS = ("-DLLAVA_BUILD=OFF",)
HEARTBEAT_S = 15.0


class SetupError(Exception):
    """Set-up can't go on; the text is for the person who ran it."""


def say(text: str) -> None:
    """One line of progress."""
    print(f"[deskside] {text}", flush=True)


# --- Pure parts -------------------------------------------------------------------------------


def is_fit(version: tuple[int, int]) -> bool:
    """Whether this Python can run Deskside."""
    return OLDEST <= version <= NEWEST


def brings_cuda(report: dict[str, object]) -> bool:
    """Whether what pip would install (its ``--report``) has the NVIDIA libraries in it."""
    installs = report.get("install", [])
    assert isinstance(installs, list)
    names = [str(one["metadata"]["name"]).lower() for one in installs]
    return any(name.startswith(("nvidia-", "cuda-", "triton")) for name in names)


def pinned_version(constraints: str, package: str) -> str:
    """The version that constraints.txt gives a package."""
    for line in constraints.splitlines():
        name, _, version = line.partition("==")
        if name.strip().lower().replace("_", "-") == package:
            return version.strip()
    raise SetupError(f"constraints.txt does not pin {package}.")


def wheel_key(version: str, flags: tuple[str, ...], python: str, cpu: str) -> str:
    """The name of the folder that keeps a compiled wheel: it fits only what it was made for."""
    digest = hashlib.sha256("\n".join((version, *flags, python, cpu)).encode()).hexdigest()
    return f"{LLAMA}-{version}-{digest[:12]}"


def cpu_features(cpuinfo: str) -> str:
    """The instruction sets of ``/proc/cpuinfo``, sorted; the compiler uses all it finds."""
    match = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    return " ".join(sorted(match.group(1).split())) if match else ""


def last_step(log: str) -> str:
    """Where a compile is, from its log: ``[123/456]``."""
    steps = re.findall(r"\[\d+/\d+\]", log)
    return steps[-1] if steps else ""


def fingerprint(texts: list[str], dev: bool) -> str:
    """Changes when set-up would do something else than last time."""
    return hashlib.sha256("\0".join([*texts, str(dev)]).encode()).hexdigest()


# --- The machine ------------------------------------------------------------------------------


def find_python() -> str:
    """A fitting interpreter: this one, or a newer one on the path."""
    if is_fit(sys.version_info[:2]):
        return sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return found
    raise SetupError(
        f"Python {OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]} is needed; this is "
        f"{platform.python_version()}. Get it from python.org, or: apt-get install python3.11 "
        "python3.11-venv (Debian), brew install python@3.12 (macOS), "
        "winget install Python.Python.3.12 (Windows)."
    )


def venv_python() -> Path:
    """The interpreter inside ``.venv``."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def cache_folder() -> Path:
    """The user's cache folder, as platformdirs gives it to the rest of Deskside."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "deskside" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "deskside"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deskside"


def has_nvidia() -> bool:
    """Whether there is an NVIDIA device (its driver's tool lists one)."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    listed = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False)
    return listed.returncode == 0 and "GPU" in listed.stdout


def this_cpu() -> str:
    """What the compiler would tune for."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        return cpu_features(cpuinfo.read_text(encoding="utf-8", errors="replace"))
    return f"{platform.processor()} {platform.machine()}"


def llama_flags() -> tuple[str, ...]:
    """The flags of the compile: ours, CUDA where it can be used, and the user's own."""
    cuda = ("-DGGML_CUDA=on",) if has_nvidia() and shutil.which("nvcc") else ()
    return (*LLAMA_FLAGS, *cuda, *os.environ.get("CMAKE_ARGS", "").split())


# --- Running things ---------------------------------------------------------------------------


def run_logged(command: list[str], what: str, env: dict[str, str] | None = None) -> None:
    """Run a command, its output in the log, with a sign of life now and then."""
    start, beat = time.monotonic(), time.monotonic()
    with LOG.open("ab") as log:
        begin = log.tell()
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=log, stderr=log
        )
        try:
            while process.poll() is None:
                time.sleep(0.2)
                if time.monotonic() - beat > HEARTBEAT_S:
                    beat = time.monotonic()
                    minutes, seconds = divmod(int(beat - start), 60)
                    say(f"  … {what}: {minutes}:{seconds:02d} {last_step(_log_since(begin))}")
        finally:
            process.kill()
    if process.returncode != 0:
        tail = "\n".join(_log_since(begin).splitlines()[-20:])
        raise SetupError(f"{what} failed. The last lines ({LOG} has all):\n{tail}")


def _log_since(begin: int) -> str:
    with LOG.open("rb") as log:
        log.seek(begin)
        return log.read().decode("utf-8", errors="replace")


def pip(*arguments: str, what: str, env: dict[str, str] | None = None) -> None:
    """Run the environment's pip. It is never upgraded: the user's own set-up goes with it."""
    base = [str(venv_python()), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    run_logged([*base, *arguments], what, env)


def install(*arguments: str, what: str) -> None:
    """``pip install`` at the pinned versions; bytecode is made at first use (saves 400 MB)."""
    pip("install", "--no-compile", "-c", "constraints.txt", *arguments, what=what)


# --- Steps ------------------------------------------------------------------------------------


def make_venv() -> None:
    """Make ``.venv``, unless it is there."""
    if venv_python().exists():
        return
    say("Making the virtual environment in .venv …")
    subprocess.run([find_python(), "-m", "venv", str(VENV)], check=True)


def install_torch() -> None:
    """Torch, as a CPU build unless there is an NVIDIA device."""
    index = os.environ.get(TORCH_INDEX, "")
    if not index and not has_nvidia() and _would_bring_cuda():
        say("pip would bring the CUDA build of torch (7 GB), of no use here without a GPU;")
        say(f"taking it from {TORCH_CPU_INDEX} ({TORCH_INDEX} names another index).")
        index = TORCH_CPU_INDEX
    source = ["--index-url", index] if index else []
    try:
        install(TORCH, *source, what="Installing torch")
    except SetupError as error:
        raise SetupError(
            f"{error}\n\nSet {TORCH_INDEX} to a package index that has a CPU build of {TORCH} for "
            "this computer (a mirror of download.pytorch.org/whl/cpu) and run this again."
        ) from None


def _would_bring_cuda() -> bool:
    if sys.platform != "linux" or torch_is_there():
        return False
    report = VENV / "torch-report.json"
    arguments = ["install", "--dry-run", "--report", str(report), "-c", "constraints.txt", TORCH]
    pip(*arguments, what="Asking pip which torch it would take")
    said = brings_cuda(json.loads(report.read_text(encoding="utf-8")))
    report.unlink()
    return said


def torch_is_there() -> bool:
    """Whether the wanted torch is installed already."""
    version = TORCH.partition("==")[2]
    return any(VENV.glob(f"**/site-packages/torch-{version}*.dist-info"))


def install_libraries(dev: bool) -> None:
    """Everything pyproject.toml names, and Deskside itself, editable."""
    say("Installing the libraries (about 1 GB; some minutes the first time) …")
    install("-e", ".[dev]" if dev else ".", what="Installing the libraries")
    # With its dependencies it would bring torchvision and timm, which fast parsing never uses.
    install("--no-deps", "unstructured-inference", what="Installing unstructured-inference")


def install_llama() -> bool:
    """llama-cpp-python, from the cache or compiled now; False when it can't be compiled."""
    version = pinned_version((ROOT / "constraints.txt").read_text(encoding="utf-8"), LLAMA)
    flags = llama_flags()
    python = f"{platform.system()} {platform.machine()} {python_version()}"
    folder = cache_folder() / "wheels" / wheel_key(version, flags, python, this_cpu())
    try:
        if not any(folder.glob("*.whl")):
            compile_llama(version, flags, folder)
        wheel = next(folder.glob("*.whl"))
        if not is_installed_from(wheel):
            # Another build of the same version may be there: take ours.
            arguments = ("--no-deps", "--no-compile", "--force-reinstall", str(wheel))
            pip("install", *arguments, what=f"Installing {LLAMA}")
    except SetupError as error:
        warn_no_llama(str(error))
        return False
    return True


def is_installed_from(wheel: Path) -> bool:
    """Whether the environment's llama-cpp-python came from this very file."""
    for record in VENV.glob("**/site-packages/llama_cpp_python-*.dist-info/direct_url.json"):
        if json.loads(record.read_text(encoding="utf-8")).get("url") == wheel.as_uri():
            return True
    return False


def python_version() -> str:
    """The version of the environment's Python, like 3.11."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    command = [str(venv_python()), "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compile_llama(version: str, flags: tuple[str, ...], folder: Path) -> None:
    """Compile the wheel and put it into ``folder``, whole or not at all."""
    say("Compiling llama.cpp for this computer: 5 to 10 minutes, once …")
    draft = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    draft.mkdir(parents=True, exist_ok=True)
    env = {"CMAKE_ARGS": " ".join(flags), "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 2)}
    # pip's own cache ignores the flags.
    arguments = ["wheel", "-v", "--no-deps", "--no-cache-dir", "-w", str(draft)]
    try:
        pip(*arguments, f"{LLAMA}=={version}", what="Compiling llama.cpp", env=env)
        shutil.rmtree(folder, ignore_errors=True)
        draft.replace(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def warn_no_llama(why: str) -> None:
    """Say loudly that answers won't work, and what to do."""
    line = "!" * 78
    print(f"\n{line}\n{why}\n", flush=True)
    print("Deskside could not compile its language model engine (llama-cpp-python).")
    print("It will still run: searching works, answers in sentences do not.")
    print("A C++ compiler and cmake are needed:")
    print("  Debian/Ubuntu: apt-get install build-essential cmake python3-dev")
    print("  macOS:         xcode-select --install && brew install cmake")
    print("  Windows:       winget install Microsoft.VisualStudio.2022.BuildTools Kitware.CMake")
    print(f"Then run: make setup\n{line}\n", flush=True)


def current_fingerprint(dev: bool) -> str:
    """The fingerprint of this checkout."""
    files = ("pyproject.toml", "constraints.txt", "scripts/setup.py")
    return fingerprint([(ROOT / name).read_text(encoding="utf-8") for name in files], dev)


def is_done(dev: bool, again: bool) -> bool:
    """Whether the last set-up did all this already."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    marks = {current_fingerprint(dev), current_fingerprint(True)}  # with the tools is more
    return stamp["fingerprint"] in marks and (stamp["llama"] or not again)


def set_up(dev: bool, again: bool) -> None:
    """All of it, or nothing when it is done."""
    if venv_python().exists() and is_done(dev, again):
        return
    start = time.monotonic()
    make_venv()
    LOG.write_bytes(b"")
    say(f"Setting up; the details go to {LOG.relative_to(ROOT)}.")
    install_torch()
    install_libraries(dev)
    llama = install_llama()
    stamp = {"fingerprint": current_fingerprint(dev), "llama": llama}
    STAMP.write_text(json.dumps(stamp), encoding="utf-8")
    say(f"Set up in {time.monotonic() - start:.0f} s.")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Set up Deskside in .venv.")
    parser.add_argument("--dev", action="store_true", help="with the tools that tests need")
    parser.add_argument("--again", action="store_true", help="try a failed compile again")
    given = parser.parse_args()
    try:
        set_up(given.dev, given.again)
    except SetupError as error:
        print(f"\n{error}\n", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run it again: it goes on where it can.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
