// Command sign makes OpenPGP keys with golang.org/x/crypto/openpgp and with ProtonMail/go-crypto, signs the document on
// standard input with each of them, and prints keys and signatures as JSON.
//
// The maker of the conformance vectors calls it; see README.md in this folder for the packages that it needs.
package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"log"
	"os"
	"time"

	proton "github.com/ProtonMail/go-crypto/openpgp"
	protonarmor "github.com/ProtonMail/go-crypto/openpgp/armor"
	protonpacket "github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/openpgp"
	"golang.org/x/crypto/openpgp/armor"
	"golang.org/x/crypto/openpgp/packet"
)

// Signed is a key with the signatures that it made, by their names.
type Signed struct {
	Maker      string            `json:"maker"`
	Name       string            `json:"name"`
	Key        string            `json:"key"`
	Signatures map[string][]byte `json:"signatures"`
}

var (
	createdAt = time.Date(2026, 4, 1, 11, 0, 0, 0, time.UTC)
	signedAt  = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	hashes    = map[string]crypto.Hash{"sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512, "sha224": crypto.SHA224}
	document  []byte
)

// repeats is how often each key signs with each hash: integers with leading zero bits appear in about half of them.
const repeats = 2

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

// signAll calls sign for each hash, several times each.
func signAll(sign func(w io.Writer, hash crypto.Hash)) map[string][]byte {
	made := map[string][]byte{}
	for name, hash := range hashes {
		for n := 0; n < repeats; n++ {
			var out bytes.Buffer
			sign(&out, hash)
			made[name+"-"+string(rune('a'+n))] = out.Bytes()
		}
	}
	return made
}

func signWithXCrypto(name string, entity *openpgp.Entity) Signed {
	var key bytes.Buffer
	w, err := armor.Encode(&key, openpgp.PublicKeyType, nil)
	check(err)
	check(entity.Serialize(w))
	check(w.Close())
	return Signed{"x/crypto", name, key.String(), signAll(func(w io.Writer, hash crypto.Hash) {
		config := &packet.Config{DefaultHash: hash, Time: at(signedAt)}
		check(openpgp.DetachSign(w, entity, bytes.NewReader(document), config))
	})}
}

func xCryptoRSA(bits int) *openpgp.Entity {
	config := &packet.Config{RSABits: bits, DefaultHash: crypto.SHA256, Time: at(createdAt)}
	entity, err := openpgp.NewEntity("Go", "", "go@acme.example", config)
	check(err)
	check(entity.SerializePrivate(io.Discard, config)) // signs the identity
	return entity
}

// xCryptoECDSA builds an entity by hand, because NewEntity makes RSA keys only.
func xCryptoECDSA(curve elliptic.Curve) *openpgp.Entity {
	entity := xCryptoRSA(2048)
	private, err := ecdsa.GenerateKey(curve, rand.Reader)
	check(err)
	entity.PrivateKey = packet.NewECDSAPrivateKey(createdAt, private)
	entity.PrimaryKey = &entity.PrivateKey.PublicKey
	entity.Subkeys = nil
	for _, identity := range entity.Identities {
		identity.SelfSignature.PubKeyAlgo = packet.PubKeyAlgoECDSA
		identity.SelfSignature.IssuerKeyId = &entity.PrimaryKey.KeyId
	}
	check(entity.SerializePrivate(io.Discard, &packet.Config{DefaultHash: crypto.SHA256, Time: at(createdAt)}))
	return entity
}

func signWithProton(name string, key protonpacket.Config, lifetime uint32, change func(*proton.Entity, *protonpacket.Config)) Signed {
	key.Time, key.DefaultHash = at(createdAt), crypto.SHA256
	entity, err := proton.NewEntity("Proton", "", "proton@acme.example", &key)
	check(err)
	if change != nil {
		change(entity, &key)
	}
	var text bytes.Buffer
	signatures := signAll(func(w io.Writer, hash crypto.Hash) {
		config := &protonpacket.Config{DefaultHash: hash, Time: at(signedAt), SigLifetimeSecs: lifetime}
		check(proton.DetachSign(w, entity, bytes.NewReader(document), config))
	})
	if afterSigning != nil {
		afterSigning(entity, &key)
		afterSigning = nil
	}
	w, err := protonarmor.Encode(&text, proton.PublicKeyType, nil)
	check(err)
	check(entity.Serialize(w))
	check(w.Close())
	return Signed{"ProtonMail", name, text.String(), signatures}
}

// afterSigning, where set, changes the next key after it signed and before it is exported.
var afterSigning func(*proton.Entity, *protonpacket.Config)

func addSigningSubkey(entity *proton.Entity, config *protonpacket.Config) {
	check(entity.AddSigningSubkey(config))
}

func revokeSubkeys(entity *proton.Entity, config *protonpacket.Config) {
	for n := range entity.Subkeys {
		if entity.Subkeys[n].Sig.FlagSign {
			check(entity.RevokeSubkey(&entity.Subkeys[n], protonpacket.KeyRetired, "", config))
		}
	}
}

// forbidSigning marks the key as one that certifies only, after it signed.
func forbidSigning(entity *proton.Entity, config *protonpacket.Config) {
	for _, identity := range entity.Identities {
		identity.SelfSignature.FlagSign = false
		check(identity.SelfSignature.SignUserId(identity.UserId.Id, entity.PrimaryKey, entity.PrivateKey, config))
	}
}

func revokeKey(entity *proton.Entity, config *protonpacket.Config) {
	check(entity.RevokeKey(protonpacket.KeySuperseded, "", config))
}

func main() {
	var err error
	document, err = io.ReadAll(os.Stdin)
	check(err)
	rsa := protonpacket.Config{RSABits: 2048}
	edDSA := protonpacket.Config{Algorithm: protonpacket.PubKeyAlgoEdDSA, Curve: protonpacket.Curve25519}
	made := []Signed{
		signWithXCrypto("rsa2048", xCryptoRSA(2048)),
		signWithXCrypto("rsa3072", xCryptoRSA(3072)),
		signWithXCrypto("rsa4096", xCryptoRSA(4096)),
		signWithXCrypto("p256", xCryptoECDSA(elliptic.P256())),
		signWithXCrypto("p384", xCryptoECDSA(elliptic.P384())),
		signWithXCrypto("p521", xCryptoECDSA(elliptic.P521())),
		signWithProton("rsa2048", rsa, 0, nil),
		signWithProton("rsa3072", protonpacket.Config{RSABits: 3072}, 0, nil),
		signWithProton("rsa4096", protonpacket.Config{RSABits: 4096}, 0, nil),
		signWithProton("ed25519", edDSA, 0, nil),
		signWithProton("subkey", rsa, 0, addSigningSubkey),
		signWithProton("ed25519-subkey", edDSA, 0, addSigningSubkey),
		signWithProton("expiring", protonpacket.Config{RSABits: 2048, KeyLifetimeSecs: 7 * 86400}, 0, nil),
		signWithProton("expiring-signature", rsa, 7*86400, nil),
	}
	for _, curve := range []protonpacket.Curve{
		protonpacket.CurveNistP256, protonpacket.CurveNistP384, protonpacket.CurveNistP521,
		protonpacket.CurveSecP256k1, protonpacket.CurveBrainpoolP256, protonpacket.Curve448,
	} {
		algorithm := protonpacket.PubKeyAlgoECDSA
		if curve == protonpacket.Curve448 {
			algorithm = protonpacket.PubKeyAlgoEdDSA
		}
		made = append(made, signWithProton(string(curve), protonpacket.Config{Algorithm: algorithm, Curve: curve}, 0, nil))
	}
	afterSigning = revokeSubkeys
	made = append(made, signWithProton("revoked-subkey", rsa, 0, addSigningSubkey))
	afterSigning = revokeKey
	made = append(made, signWithProton("revoked", rsa, 0, nil))
	afterSigning = forbidSigning
	made = append(made, signWithProton("certifying", rsa, 0, nil))
	check(json.NewEncoder(os.Stdout).Encode(made))
}
