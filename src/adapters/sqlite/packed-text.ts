import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Below this, making a text smaller takes longer than writing it does. */
const LARGE = 4_096;

/** A text as it is stored: itself, or packed where it is large and becomes smaller. The type of the column tells which. */
export function packText(text: string): string | Uint8Array {
  if (text.length < LARGE) return text;
  const bytes = Buffer.from(text, 'utf8');
  const packed = zstdCompressSync(bytes);
  return packed.length < bytes.length * 0.9 ? packed : text;
}

export function unpackText(stored: string | Uint8Array): string {
  return typeof stored === 'string' ? stored : zstdDecompressSync(stored).toString('utf8');
}
