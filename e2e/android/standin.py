#!/usr/bin/env python3
"""Starts an adbd stand-in, not Android: AOSP's adbd with an arm64 userland in namespaces of its own.

It has its own loopback, so that the host reaches it through adb only; its own binfmt_misc, so that programs for arm64
run in the emulator; the uid of Android's shell; a read-only /system. It prints `SERIAL 127.0.0.1:PORT` and lives until
it is killed or its parent ends. Needs Linux 6.7 or newer (binfmt_misc in user namespaces).
"""
import argparse
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import sys
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_NS, NEW_UTS, NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 32, 4096, 16384, 1 << 18
DIE_WITH_PARENT, PIVOT_ROOT, DETACH = 1, {"x86_64": 155, "aarch64": 41}[os.uname().machine], 2
SET_INTERFACE_FLAGS, UP = 0x8914, 1
ADBD_PORT = 5555
SHELL = 2000


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source, target, kind=None, flags=0, data=None):
    encoded = [text.encode() if text else None for text in (source, target, kind, data)]
    result = LIBC.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    check(result, f"mounting {target}")


def unshare(flags):
    check(LIBC.unshare(flags), "making namespaces")


def map_ids(inner, outer_user, outer_group):
    try:
        with open("/proc/self/setgroups", "w") as file:
            file.write("deny")
    except OSError:
        pass  # It was denied by the namespace outside already.
    for name, outer in (("uid_map", outer_user), ("gid_map", outer_group)):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(f"{inner} {outer} 1")


def die_with_parent():
    LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def write(path, text, mode=0o644):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


GETPROP = """#!/system/bin/sh
while IFS='=' read -r key value; do
  [ "$key" = "$1" ] && { echo "$value"; exit 0; }
done < /system/build.prop
"""


def make_root(root, parts, abi, model):
    """The device's file system: what all have is copied, what differs is written."""
    shutil.copytree(f"{parts}/root", root, symlinks=True)
    for folder in ("data/local/tmp", "data/misc/adb", "dev", "proc", "old", "binfmt", "sdcard", "host", "tmp"):
        os.makedirs(f"{root}/{folder}")
    os.chmod(f"{root}/data/local/tmp", 0o771)
    write(f"{root}/etc/passwd", "root:x:0:0::/:/system/bin/sh\nshell:x:2000:2000::/:/system/bin/sh\n")
    write(f"{root}/etc/group", "root:x:0:\nshell:x:2000:\n")
    write(f"{root}/system/bin/getprop", GETPROP, 0o755)
    properties = {"ro.product.model": model, "ro.product.cpu.abi": abi, "ro.product.cpu.abilist": abi,
                  "ro.build.version.release": "14"}
    write(f"{root}/system/build.prop", "".join(f"{key}={value}\n" for key, value in properties.items()))


def make_devices(root):
    mount("tmpfs", f"{root}/dev", "tmpfs", NO_SUID, "mode=755")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        open(f"{root}/dev/{name}", "w").close()
        mount(f"/dev/{name}", f"{root}/dev/{name}", None, BIND)
    os.mkdir(f"{root}/dev/pts")
    mount("devpts", f"{root}/dev/pts", "devpts", NO_SUID, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", f"{root}/dev/ptmx")


def register_emulator(root, qemu):
    """Programs for arm64 start in the emulator, which is opened now and needs not be there later."""
    mount("binfmt_misc", f"{root}/binfmt", "binfmt_misc")
    magic = b"\\x7fELF\\x02\\x01\\x01\\x00" + b"\\x00" * 8 + b"\\x02\\x00\\xb7\\x00"
    mask = b"\\xff" * 7 + b"\\x00" + b"\\xff" * 8 + b"\\xfe" + b"\\xff" * 3
    with open(f"{root}/binfmt/register", "wb", buffering=0) as file:
        file.write(b":arm64:M::" + magic + b":" + mask + b":" + qemu.encode() + b":F")


def raise_loopback():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_INTERFACE_FLAGS, struct.pack("16sH22x", b"lo", UP))


def pump(source, target):
    try:
        while data := source.recv(1 << 18):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def relay(listener):
    """Leads connections of the host to adbd, which listens on the loopback of this namespace."""
    die_with_parent()
    while True:
        outer, _ = listener.accept()
        inner = socket.socket()
        try:
            inner.connect(("127.0.0.1", ADBD_PORT))
        except OSError:
            outer.close()
            continue
        for end in (outer, inner):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for pair in ((outer, inner), (inner, outer)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", required=True, help="what `xtask` fetched")
    parser.add_argument("--root", required=True, help="a folder to make for the device; there may be none yet")
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--abi", default="arm64-v8a")
    parser.add_argument("--model", default="Stand-in")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--data-bytes", type=int, help="the size of /data/local/tmp")
    options = parser.parse_args()

    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    listener.listen(64)
    root, parts = os.path.realpath(options.root), os.path.realpath(options.parts)
    if not os.path.exists(root):
        make_root(root, parts, options.abi, options.model)

    user, group = os.getuid(), os.getgid()
    die_with_parent()
    unshare(NEW_USER | NEW_NS | NEW_PID | NEW_NET | NEW_UTS | NEW_IPC)
    map_ids(0, user, group)
    child = os.fork()
    if child:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
        print(f"SERIAL 127.0.0.1:{listener.getsockname()[1]}", flush=True)
        listener.close()
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status) & 255)
    die_with_parent()

    mount(None, "/", None, RECURSIVE | PRIVATE)
    mount(root, root, None, BIND | RECURSIVE)
    mount(f"{parts}/host", f"{root}/host", None, BIND)
    make_devices(root)
    mount("proc", f"{root}/proc", "proc")
    register_emulator(root, os.path.realpath(options.qemu))
    raise_loopback()
    socket.sethostname("standin")
    mount(f"{root}/system", f"{root}/system", None, BIND)
    mount(None, f"{root}/system", None, REMOUNT | BIND | READ_ONLY)
    if options.data_bytes:
        mount("tmpfs", f"{root}/data/local/tmp", "tmpfs", 0, f"size={options.data_bytes},mode=771")
    if os.fork() == 0:
        relay(listener)
    listener.close()
    # The first process takes leave of those that have lost their parents, as Android's init does.
    device = os.fork()
    if device:
        while True:
            ended, status = os.wait()
            if ended == device:
                sys.exit(os.waitstatus_to_exitcode(status) & 255)
    die_with_parent()
    os.chdir(root)
    check(LIBC.syscall(PIVOT_ROOT, b".", b"old"), "changing the root")
    os.chdir("/")
    check(LIBC.umount2(b"/old", DETACH), "letting go of the host's files")
    os.umask(0)
    unshare(NEW_USER)
    map_ids(SHELL, 0, 0)
    environment = {"PATH": "/system/bin", "ANDROID_ROOT": "/system", "ANDROID_DATA": "/data", "HOME": "/",
                   "TMPDIR": "/data/local/tmp", "ADBD_PORT": str(ADBD_PORT)}
    loader = f"/host/{'ld-linux-x86-64.so.2' if os.uname().machine == 'x86_64' else 'ld-linux-aarch64.so.1'}"
    os.execve(loader, [loader, "--library-path", "/host", "/host/adbd"], environment)


if __name__ == "__main__":
    main()
