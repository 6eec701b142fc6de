# Writes a key store for Java (JKS) with the certificates of a PEM file, because Java reads no PEM file.
# Arguments: the PEM file and the key store. The password only guards against damage, so it may be known.
import base64, hashlib, struct, sys
pem = open(sys.argv[1], encoding='ascii', errors='ignore').read()
entries = []
for part in pem.split('-----BEGIN CERTIFICATE-----')[1:]:
    der = base64.b64decode(part.split('-----END CERTIFICATE-----')[0])
    alias = b'certificate-%d' % len(entries)
    kind = b'X.509'
    entries.append(
        struct.pack('>IH', 2, len(alias)) + alias + struct.pack('>QH', 0, len(kind)) + kind
        + struct.pack('>I', len(der)) + der
    )
body = struct.pack('>III', 0xFEEDFEED, 2, len(entries)) + b''.join(entries)
digest = hashlib.sha1('changeit'.encode('utf-16-be') + b'Mighty Aphrodite' + body).digest()
with open(sys.argv[2], 'wb') as file:
    file.write(body + digest)
