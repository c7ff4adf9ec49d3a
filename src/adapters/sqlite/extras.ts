import type { Blob } from '../../model/blob.ts';
import type { Address } from '../../model/hash.ts';
import type { EffectRow } from '../../ports/journal-rows.ts';

/**
 * What an append brings besides its frame and is only ever asked for together with it: the texts of its checkpoints and
 * of the results it settles, the checkpoints' ids, and its lines of the effect ledger. All of it is one row behind the
 * frame's own, so that a step writes to the end of the file instead of to many places in it.
 */
export interface Notes {
  /** Where each text stands: its address, its place and its length, in `texts`, or (1) in the events of the frame. */
  readonly t?: readonly (readonly [address: Address, place: number, length: number, inEvents?: 1])[];
  readonly c?: readonly (readonly [checkpointId: string, address: Named])[];
  readonly e?: readonly NotedEffect[];
}

/** An address, or the number of one in `t`. */
type Named = Address | number;

type NotedEffect = readonly [
  key: string,
  stepId: string,
  tool: string,
  argsHash: string,
  state: EffectRow['state'],
  result: Named | null,
];

export interface Extras {
  readonly notes: string;
  readonly texts: string;
}

export interface Noted {
  readonly texts: readonly Blob[];
  readonly checkpoints: readonly (readonly [checkpointId: string, address: Address])[];
  readonly effects: readonly EffectRow[];
}

/** Null where there is nothing to note. A text that the frame says word for word is not written a second time. */
export function packExtras({ texts, checkpoints, effects }: Noted, events: string): Extras | null {
  if (texts.length === 0 && checkpoints.length === 0 && effects.length === 0) return null;
  let all = '';
  const t: (readonly [Address, number, number, 1?])[] = [];
  for (const { address, text } of texts) {
    const said = events.indexOf(text);
    if (said >= 0) t.push([address, said, text.length, 1]);
    else {
      t.push([address, all.length, text.length]);
      all += text;
    }
  }
  const named = (address: Address): Named => {
    const place = texts.findIndex((text) => text.address === address);
    return place < 0 ? address : place;
  };
  const notes: Notes = {
    ...(t.length === 0 ? {} : { t }),
    ...(checkpoints.length === 0 ? {} : { c: checkpoints.map(([id, address]) => [id, named(address)] as const) }),
    ...(effects.length === 0 ? {} : { e: effects.map((row) => noted(row, named)) }),
  };
  return { notes: JSON.stringify(notes), texts: all };
}

function noted(row: EffectRow, named: (address: Address) => Named): NotedEffect {
  const { idempotency_key, step_id, tool, args_hash, state, result } = row;
  return [idempotency_key, step_id, tool, args_hash, state, result === null ? null : named(result)];
}

const addressOf = ({ t }: Notes, named: Named): Address =>
  typeof named === 'number' ? (t?.[named]?.[0] ?? 'sha256:') : named;

/** The checkpoints of a frame, in order. */
export function checkpointsIn(notes: Notes): readonly (readonly [checkpointId: string, address: Address])[] {
  return (notes.c ?? []).map(([id, named]) => [id, addressOf(notes, named)] as const);
}

/** The keys of a frame's ledger lines. */
export const keysIn = ({ e = [] }: Notes): readonly string[] => e.map(([key]) => key);

/** What the ledger lines of a frame say came of each call. */
export function resultsIn(notes: Notes): readonly Address[] {
  return (notes.e ?? []).flatMap(([, , , , , result]) => (result === null ? [] : [addressOf(notes, result)]));
}

/** The text at an address as these extras have it; undefined where they do not name it. */
export function textIn(notes: Notes, address: Address, texts: string, events: () => string): string | undefined {
  const found = notes.t?.find(([named]) => named === address);
  if (found === undefined) return undefined;
  const [, place, length, inEvents] = found;
  return (inEvents === 1 ? events() : texts).slice(place, place + length);
}

/** The ledger that a session's notes come to, oldest first. What is settled stays settled, and as it was. */
export function ledgerOf(session: string, all: readonly Notes[]): readonly EffectRow[] {
  const rows = new Map<string, EffectRow>();
  for (const notes of all) {
    for (const [idempotency_key, step_id, tool, args_hash, state, named] of notes.e ?? []) {
      if (rows.get(idempotency_key)?.state === 'settled') continue;
      const result = named === null ? null : addressOf(notes, named);
      const row: EffectRow = { idempotency_key, session_id: session, step_id, tool, args_hash, state, result };
      rows.set(idempotency_key, Object.freeze(row));
    }
  }
  return [...rows.values()];
}
