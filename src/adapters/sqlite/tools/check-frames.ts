import { pointerToken } from '../../../model/json/pointer.ts';
import type { StoreProblem } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { verifierOf } from '../permissions/anchor-signer.ts';
import { type FrameSignature, findMissingRecord, isFrameSigned, numberIn } from '../permissions/frame-signatures.ts';
import type { Naming } from './check-permissions.ts';

interface SignedFrame extends FrameSignature {
  readonly row: number;
  readonly seq: number;
  readonly session_id: string;
}

interface CheckedFrames {
  /** The frames without a signature, and the unsigned frames of imported runs. */
  readonly unsigned: number;
  readonly problems: readonly StoreProblem[];
}

/**
 * Compares the frames with the chain of permission records: each frame names a record that was there before it, and its
 * signature covers both. `names` are the records that name the store. With `publicKey`, all frames that follow the first
 * record that this key signed must carry its signature.
 */
export function checkFrames(
  { db }: SqliteConnection,
  names: readonly Naming[],
  publicKey: string | null,
  isImported: (session: string) => boolean,
): CheckedFrames {
  const problems: StoreProblem[] = [];
  const keys = new Set([...names.flatMap(({ signer }) => signer ?? []), ...(publicKey === null ? [] : [publicKey])]);
  const verifiers = [...keys].map(verifierOf);
  const required = publicKey === null ? null : verifierOf(publicKey);
  const first = names[0]?.row ?? 0;
  const signedFrom = names.find(({ signer }) => signer === publicKey)?.row ?? 0;
  let unsigned = 0;
  let before: number | null = null;
  for (const found of db.prepare(FRAMES).iterate()) {
    const frame = found as unknown as SignedFrame;
    const problem = placeProblem(frame, before, first);
    const report = (message: string): void => void problems.push({ place: placeOf(frame), message });
    const isDue = required !== null && frame.permissions !== null && numberIn(frame.permissions) >= signedFrom;
    const accepted = isDue ? [required] : verifiers;
    if (problem !== null) report(problem);
    if (frame.permissions !== null) before = numberIn(frame.permissions);
    if (frame.signature === null) {
      unsigned += 1;
      if (isDue && !isImported(frame.session_id)) report('is not signed');
    } else if (problem === null && !accepted.some((verify) => isFrameSigned(verify, frame)))
      report('has a signature that does not fit');
  }
  return { unsigned, problems };
}

/** The problem of the permission record that a frame follows. Rows are numbered in the order in which they were stored. */
function placeProblem(frame: FrameSignature, before: number | null, first: number): string | null {
  if (frame.permissions === null)
    return before === null ? null : 'names no permission record, and the frame before it does';
  const missing = findMissingRecord(frame);
  if (missing !== null) return `follows permission record ${missing.row}, which ${missing.why}`;
  const row = numberIn(frame.permissions);
  if (row >= Math.max(before ?? 0, first)) return null;
  return `follows permission record ${row}, and the frame before it record ${before ?? first}`;
}

const placeOf = ({ session_id, seq }: SignedFrame): string =>
  `/sessions${pointerToken(String(session_id))}/frames/${seq}`;

const FRAMES = `
select f.row, f.seq, s.session_id, f.hash, f.permissions, f.signature, p.hash as permission
from frames f left join sessions s using (sid) left join permissions p on p.row = cast(f.permissions as integer) order by f.row`;
