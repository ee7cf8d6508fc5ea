#!/usr/bin/env python3
"""docker-form.py DOCKER FORM WORD...: the docker command, whose `save` writes as docker 25 (FORM 25) or podman does, as an OCI layout
(oci), or one of a few ways that nobody should believe."""
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile

docker, form, words = sys.argv[1], sys.argv[2], sys.argv[3:]
if words[:1] != ["save"]:
    os.execv(docker, [docker] + words)
old = tarfile.open(fileobj=io.BytesIO(subprocess.run([docker] + words, check=True, stdout=subprocess.PIPE).stdout))


def read(name):
    entry = old.getmember(name)
    while entry.issym():
        entry = old.getmember(os.path.normpath(os.path.join(os.path.dirname(entry.name), entry.linkname)))
    return old.extractfile(entry).read()


out = tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.USTAR_FORMAT)


def put(name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    out.addfile(entry, io.BytesIO(data))


def put_dir(name):
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.DIRTYPE
    out.addfile(entry)


manifest = json.loads(read("manifest.json"))[0]
config, layers = read(manifest["Config"]), [read(name) for name in manifest["Layers"]]
hexes = [hashlib.sha256(data).hexdigest() for data in layers]
own = hashlib.sha256(config).hexdigest()
if form == "podman":
    for name, data in dict(zip(hexes, layers)).items():
        put(name + ".tar", data)
    for name in dict.fromkeys(hexes):
        link = tarfile.TarInfo(hashlib.sha256(name.encode()).hexdigest() + "/layer.tar")
        link.type, link.linkname = tarfile.SYMTYPE, f"../{name}.tar"
        out.addfile(link)
    put(own + ".json", config)
    put("repositories", b"{}")
    put("manifest.json", json.dumps([{"Config": own + ".json", "RepoTags": ["localhost/some:name"], "Layers": [h + ".tar" for h in hexes]}],
                                    separators=(",", ":")).encode())
elif form == "oci":
    def blob_of(data, kind, **more):
        digest = hashlib.sha256(data).hexdigest()
        put("./blobs/sha256/" + digest, data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": "sha256:" + digest, "size": len(data), **more}

    put("./oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
    packed = [blob_of(gzip.compress(data), "layer.v1.tar+gzip") for data in layers]
    whole = {"schemaVersion": 2, "layers": packed, "config": blob_of(config, "config.v1+json")}
    named = {"org.opencontainers.image.ref.name": "steal/nameit:1"}
    index = [blob_of(json.dumps(whole, indent=1).encode(), "manifest.v1+json", annotations=named)]
    put("./index.json", json.dumps({"schemaVersion": 2, "manifests": index}, indent=1).encode())
else:
    blob = "blobs/sha256/"
    put_dir("blobs/")
    put_dir(blob)
    if form == "config":
        config = config.replace(b'"architecture"', b'"Architecture"')
    put(blob + own, config)
    for name, data in dict(zip(hexes, layers)).items():
        if form != "missing":
            put(blob + name, data)
    put("index.json", b'{"schemaVersion":2}')
    paths = [blob + h for h in hexes]
    if form == "path":
        paths[0] = "../../../../etc/passwd"
    put("manifest.json", json.dumps([{"Config": blob + own, "RepoTags": None, "Layers": paths,
                                      "LayerSources": {"sha256:" + h: {"size": len(d)} for h, d in zip(hexes, layers)}}],
                                    separators=(",", ":")).encode() + b"\n")
    put("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
out.close()
