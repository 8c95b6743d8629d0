/**
 * The SHA-256 of a text in UTF-8, in base64, as obs-websocket wants it. Browsers have one of their
 * own only on https and on this computer, but pages of a server at home are opened over http.
 */
export function sha256Base64(text: string): string {
  const message = new TextEncoder().encode(text);
  const blocks = Math.ceil((message.length + 9) / 64);
  const padded = new DataView(new ArrayBuffer(blocks * 64));
  new Uint8Array(padded.buffer).set(message);
  padded.setUint8(message.length, 0x80);
  padded.setUint32(blocks * 64 - 8, Math.floor(message.length / 2 ** 29));
  padded.setUint32(blocks * 64 - 4, message.length << 3);

  const hash = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
  for (let block = 0; block < blocks; block++) mix(hash, scheduleOf(padded, block * 64));

  const bytes = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => bytes.setUint32(index * 4, word));
  return btoa(String.fromCharCode(...new Uint8Array(bytes.buffer)));
}

const ROUNDS = 64;
const PRIMES = firstPrimes(ROUNDS);
const CONSTANTS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

/** The first 32 bits after the point. */
function fraction(value: number): number {
  return Math.floor((value % 1) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes;
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
const at = (words: Uint32Array, index: number): number => words[index] ?? 0;

/** The words that a block of 64 bytes adds, one a round. */
function scheduleOf(message: DataView, offset: number): Uint32Array {
  const words = new Uint32Array(ROUNDS);
  for (let index = 0; index < 16; index++) words[index] = message.getUint32(offset + index * 4);
  for (let index = 16; index < ROUNDS; index++) {
    const early = at(words, index - 15);
    const late = at(words, index - 2);
    const earlyMixed = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const lateMixed = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = at(words, index - 16) + earlyMixed + at(words, index - 7) + lateMixed;
  }
  return words;
}

/** Mixes a block into the hash; the letters are those of FIPS 180-4, section 6.2.2. */
function mix(hash: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let round = 0; round < ROUNDS; round++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const eMixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const aMixed = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = (h + eMixed + choice + at(CONSTANTS, round) + at(schedule, round)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + aMixed + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = at(hash, index) + word;
  });
}
