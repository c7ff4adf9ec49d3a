/** Changes parts of an exported bundle and seals it again, so that only its content is wrong. */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { type FrameLink, GENESIS, sealFrame } from '../../src/model/events/frame.ts';
import { addressOfText } from '../../src/model/json/hash.ts';

/** The events of a frame as text, so that texts which JSON.stringify cannot write can be tried. */
export type ChangeEvents = (events: string, types: readonly string[]) => string;

export interface Changes {
  readonly events?: ChangeEvents;
  readonly header?: (header: Record<string, unknown>) => unknown;
  /** Adds lines before the seal. */
  readonly lines?: (lines: readonly string[]) => readonly string[];
}

export function forgeBundle(bundle: string, { events, header, lines }: Changes): string {
  const [first = '', ...rows] = bundle.trimEnd().split('\n').slice(0, -1);
  let prev: FrameLink = GENESIS;
  const forged = rows.map((row) => {
    const parsed = JSON.parse(row) as { readonly frame?: Parameters<typeof sealFrame>[0] };
    if (parsed.frame === undefined) return row;
    const types = (JSON.parse(parsed.frame.events) as readonly RunEvent[]).map(({ type }) => type);
    const { session, seq, at, writer } = parsed.frame;
    const text = events === undefined ? parsed.frame.events : events(parsed.frame.events, types);
    const frame = sealFrame({ session, seq, at, writer, events: text, prev }, sha256);
    prev = frame.hash;
    return JSON.stringify({ frame });
  });
  const head = { ...(JSON.parse(first) as Record<string, unknown>), head: prev };
  const all = [JSON.stringify(header === undefined ? head : header(head)), ...forged];
  const text = `${(lines === undefined ? all : lines(all)).join('\n')}\n`;
  return `${text}${JSON.stringify({ seal: addressOfText(sha256, text) })}\n`;
}
