import { inspect } from 'node:util';

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
const nested = (text: string, depth: number): string =>
  Array.from({ length: depth }).reduce<string>((inner) => JSON.stringify({ inner }), text);
const html = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll('\n', '<br>\n');
const entities = (text: string): string =>
  Array.from(text, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join('');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const columns = (text: string, width: number): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
const printable = (text: string): string => text.replace(/[^ -~]/g, '.');
/** The lines of a dump: an offset, and what `write` makes of the bytes of the line. */
const dumpOf =
  (width: number, radix: number, write: (bytes: Buffer) => string) =>
  (text: string): string => {
    const bytes = Buffer.from(text);
    return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, line) => {
      const offset = (16 * line).toString(radix).padStart(width, '0');
      return `${offset}${write(bytes.subarray(16 * line, 16 * line + 16))}`;
    }).join('\n');
  };
const column = (bytes: Buffer): string => printable(bytes.toString('latin1'));
const each = (bytes: Buffer, write: (byte: number) => string): string => Array.from(bytes, write).join('');
const hexdump = dumpOf(8, 16, (bytes) => {
  const written = Array.from(bytes, (byte, at) => `${at === 8 ? ' ' : ''}${byte.toString(16).padStart(2, '0')}`);
  return `  ${written.join(' ').padEnd(49)} |${column(bytes)}|`;
});
const xxd = dumpOf(8, 16, (bytes) => {
  const groups = bytes.toString('hex').match(/.{1,4}/g) ?? [];
  return `: ${groups.join(' ').padEnd(39)}  ${column(bytes)}`;
});
/** Words of two bytes, the lower one first. */
const words = (radix: number, digits: number): ((bytes: Buffer) => string) => {
  return (bytes) =>
    Array.from({ length: Math.ceil(bytes.length / 2) }, (_, at) => {
      const word = (bytes[2 * at] ?? 0) + 256 * (bytes[2 * at + 1] ?? 0);
      return ` ${word.toString(radix).padStart(digits, '0')}`;
    }).join('');
};
const octal = (byte: number): string => byte.toString(8).padStart(3, '0');
const odCell = (byte: number): string => {
  if (byte === 10 || byte === 13) return byte === 10 ? '  \\n' : '  \\r';
  return byte >= 32 && byte < 127 ? `   ${String.fromCharCode(byte)}` : ` ${octal(byte)}`;
};
const quotedPath = (text: string): string =>
  each(Buffer.from(text), (byte) => (byte > 126 || byte < 32 ? `\\${octal(byte)}` : String.fromCharCode(byte)));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const unicodeEscapes = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const quotedPrintable = (text: string): string =>
  columns(
    Array.from(Buffer.from(text), (byte) =>
      byte > 126 || byte < 33 || byte === 61
        ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    ).join(''),
    75,
  ).replaceAll('\n', '=\r\n');

/** The forms in which ordinary software writes a text by itself. Each takes the text and returns what it writes. */
export const CANARY_FORMS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in large letters': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  'with CRLF line ends': crlf,
  'indented, as in YAML': (text) => text.replaceAll('\n', '\n    '),
  'with decomposed accents': (text) => text.normalize('NFD'),
  'as util.inspect of an object': (text) => inspect({ key: text }),
  'as util.inspect of a nested list': (text) => inspect({ a: [{ b: [text] }] }, { depth: 9 }),
  'as JSON': (text) => JSON.stringify({ text }),
  'as JSON in JSON': (text) => nested(text, 2),
  'as JSON in JSON in JSON': (text) => nested(text, 3),
  'as JSON with CRLF': (text) => JSON.stringify(crlf(text)),
  'as JSON in an error with a stack': (text) => String(new Error(`failed: ${JSON.stringify({ text })}`).stack),
  'with unicode escapes': unicodeEscapes,
  'with unicode escapes in JSON': (text) => JSON.stringify(unicodeEscapes(text)),
  'with hexadecimal escapes': (text) => hex(text).replace(/../g, '\\x$&'),
  'as HTML': html,
  'as HTML in HTML': (text) => html(html(text)),
  'as numeric entities': entities,
  'in an address': encodeURIComponent,
  'in an address within an address': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in a form': (text) => new URLSearchParams({ a: text }).toString(),
  'with every byte escaped': (text) => hex(text).replace(/../g, '%$&'),
  'in Base64': (text) => Buffer.from(text).toString('base64'),
  'in Base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'in Base64 after a user name': (text) => `Basic ${Buffer.from(`user:${text}`).toString('base64')}`,
  'in Base64 of a mail': (text) => columns(Buffer.from(text).toString('base64'), 76).replaceAll('\n', '\r\n'),
  'in Base64 with CRLF': (text) => Buffer.from(crlf(text)).toString('base64'),
  'in Base64 of JSON': (text) => Buffer.from(JSON.stringify({ text })).toString('base64'),
  'in Base64 in an address': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'in Base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'in Base64 of Base64': (text) => base64(base64(text)),
  'in Base64 of Base64 after a user name': (text) => base64(JSON.stringify({ auth: base64(`user:${text}`) })),
  'in Base64 of Base64 of a mail': (text) => columns(base64(base64(text)), 76).replaceAll('\n', '\r\n'),
  'in hexadecimal': hex,
  'in large hexadecimal': (text) => hex(text).toUpperCase(),
  'in hexadecimal with colons': (text) => hex(text).replace(/..(?=.)/g, '$&:'),
  'as hexdump -C prints it': hexdump,
  'as hexdump -C prints it, in JSON': (text) => JSON.stringify(hexdump(text)),
  'as xxd prints it': xxd,
  'as hexdump prints it': dumpOf(7, 16, words(16, 4)),
  'as od prints it': dumpOf(7, 8, words(8, 6)),
  'as od -b prints it': dumpOf(7, 8, (bytes) => each(bytes, (byte) => ` ${octal(byte)}`)),
  'as od -c prints it': dumpOf(7, 8, (bytes) => each(bytes, odCell)),
  'with octal escapes': (text) => each(Buffer.from(text), (byte) => `\\${octal(byte)}`),
  'as a path that git quotes': quotedPath,
  'as UTF-8 that is read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'as UTF-8 that is read as Windows-1252': (text) => new TextDecoder('windows-1252').decode(Buffer.from(text)),
  'as bytes of C': (text) =>
    Array.from(Buffer.from(text), (byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', '),
  'as a printed Buffer': (text) => inspect(Buffer.from(text)),
  'as a printed Uint8Array': (text) => inspect(new Uint8Array(Buffer.from(text)), { maxArrayLength: null }),
  'as a Buffer in JSON': (text) => JSON.stringify({ data: Buffer.from(text) }),
  'as a Buffer in indented JSON': (text) => JSON.stringify({ data: Buffer.from(text) }, null, 2),
  'as a Uint8Array in JSON': (text) => JSON.stringify(Array.from(Buffer.from(text))),
  'in quoted-printable': quotedPrintable,
};
