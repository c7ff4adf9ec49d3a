import type { Blob } from '../../model/json/blob.ts';
import type { Address } from '../../model/json/hash.ts';
import type { EffectRow } from '../../ports/journal/rows.ts';
import type { Statements } from './statements.ts';

/**
 * The data of an append that is only read together with its frame: the texts of its checkpoints and settled results,
 * the checkpoint ids, and its effect ledger rows. It is one row with the frame's row number, so that a step writes to
 * the end of the file instead of to many pages.
 */
export interface Notes {
  /** The texts by address, offset and length: in `texts`, or in the frame's events if the last item is 1. */
  readonly t?: readonly (readonly [address: Address, place: number, length: number, inEvents?: 1])[];
  readonly c?: readonly (readonly [checkpointId: string, address: AddressRef])[];
  readonly e?: readonly NotedEffect[];
}

/** An address, or its index in `t`. */
type AddressRef = Address | number;

type NotedEffect = readonly [
  key: string,
  stepId: string,
  tool: string,
  argsHash: string,
  state: EffectRow['state'],
  result: AddressRef | null,
];

interface Extras {
  readonly notes: string;
  readonly texts: string;
}

interface Noted {
  readonly texts: readonly Blob[];
  readonly checkpoints: readonly (readonly [checkpointId: string, address: Address])[];
  readonly effects: readonly EffectRow[];
}

/** Returns null if there is nothing to store. A text that the events contain verbatim is not stored again. */
export function packExtras({ texts, checkpoints, effects }: Noted, events: string): Extras | null {
  if (texts.length === 0 && checkpoints.length === 0 && effects.length === 0) return null;
  let all = '';
  const t: (readonly [Address, number, number, 1?])[] = [];
  for (const { address, text } of texts) {
    const offset = events.indexOf(text);
    if (offset >= 0) t.push([address, offset, text.length, 1]);
    else {
      t.push([address, all.length, text.length]);
      all += text;
    }
  }
  const named = (address: Address): AddressRef => {
    const place = texts.findIndex((text) => text.address === address);
    return place < 0 ? address : place;
  };
  const notes: Notes = {
    ...(t.length === 0 ? {} : { t }),
    ...(checkpoints.length === 0 ? {} : { c: checkpoints.map(([id, address]) => [id, named(address)] as const) }),
    ...(effects.length === 0 ? {} : { e: effects.map((row) => toNotedEffect(row, named)) }),
  };
  return { notes: JSON.stringify(notes), texts: all };
}

function toNotedEffect(row: EffectRow, named: (address: Address) => AddressRef): NotedEffect {
  const { idempotency_key, step_id, tool, args_hash, state, result } = row;
  return [idempotency_key, step_id, tool, args_hash, state, result === null ? null : named(result)];
}

const addressOf = ({ t }: Notes, named: AddressRef): Address =>
  typeof named === 'number' ? (t?.[named]?.[0] ?? 'sha256:') : named;

/** The checkpoints of a frame, in order. */
export function checkpointsIn(notes: Notes): readonly (readonly [checkpointId: string, address: Address])[] {
  return (notes.c ?? []).map(([id, named]) => [id, addressOf(notes, named)] as const);
}

const keysIn = ({ e = [] }: Notes): readonly string[] => e.map(([key]) => key);

/** The result addresses of a frame's ledger rows. */
export function resultsIn(notes: Notes): readonly Address[] {
  return (notes.e ?? []).flatMap(([, , , , , result]) => (result === null ? [] : [addressOf(notes, result)]));
}

/** Returns the text at an address, or undefined if these extras do not contain it. */
export function textIn(notes: Notes, address: Address, texts: string, events: () => string): string | undefined {
  const found = notes.t?.find(([named]) => named === address);
  if (found === undefined) return undefined;
  const [, place, length, inEvents] = found;
  return (inEvents === 1 ? events() : texts).slice(place, place + length);
}

/** Folds a session's notes, oldest first, into its effect ledger. */
export const ledgerOf = (session: string, all: readonly Notes[]): readonly EffectRow[] =>
  foldLedger(
    all.flatMap((notes) =>
      (notes.e ?? []).map(([idempotency_key, step_id, tool, args_hash, state, named]): EffectRow => {
        const result = named === null ? null : addressOf(notes, named);
        return { idempotency_key, session_id: session, step_id, tool, args_hash, state, result };
      }),
    ),
  );

/** Folds written rows into the ledger. A settled effect does not change again. */
export function foldLedger(written: readonly EffectRow[]): readonly EffectRow[] {
  const rows = new Map<string, EffectRow>();
  for (const row of written) {
    if (rows.get(row.idempotency_key)?.state === 'settled') continue;
    rows.set(row.idempotency_key, Object.freeze(row));
  }
  return [...rows.values()];
}

type ChainReader = Pick<Statements, 'extrasOf'>;

const ALL = 2 ** 31;

/** Reads a session's notes that contain `holding`, starting from its newest frame. Returns them oldest first. */
export function readNotes({ extrasOf }: ChainReader, lastRow: number, holding: string): readonly Notes[] {
  return extrasOf
    .all(lastRow, 0, holding, ALL)
    .map(({ notes }) => JSON.parse(String(notes)) as Notes)
    .reverse();
}

/** The text that notes with ledger rows contain, and no others. */
export const LEDGER_LINES = '"e":[';

export function readKeys(statements: ChainReader, lastRow: number): readonly string[] {
  return readNotes(statements, lastRow, LEDGER_LINES).flatMap(keysIn);
}
