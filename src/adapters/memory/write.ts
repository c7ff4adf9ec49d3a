import type { Fault } from '../../model/fault.ts';
import type { Address } from '../../model/hash.ts';
import type { Append } from '../../ports/journal.ts';
import type { CheckpointRow, EffectRow, Projections } from '../../ports/journal-rows.ts';
import {
  blobNotStored,
  checkpointTaken,
  grantAlreadyUsed,
  orphaned,
  rowOfAnotherSession,
  standingRefused,
  tenantChanged,
} from '../../ports/journal-rules/append-refusals.ts';
import { type PlaceRuling, ruleOnPlace } from '../../ports/journal-rules/place-ruling.ts';
import { intendedBy, killSwitchOn, stops } from '../../ports/kill-switches.ts';
import { whyExhausted } from '../../ports/standing-grants.ts';
import type { MemoryDisk } from './disk.ts';
import { recordUse } from './standing.ts';

/** Whether an append may be stored. Looks at everything first, because what is half written cannot be taken back. */
export function rule(disk: MemoryDisk, append: Append): PlaceRuling {
  const { frame, session } = append;
  const frames = disk.frames.get(session) ?? [];
  const ruling = ruleOnPlace(append, {
    there: frames[frame.seq - 1] ?? null,
    before: frames[frame.seq - 2] ?? null,
    session: disk.sessions.get(session) ?? null,
  });
  return ruling === 'free' ? (refusal(disk, append) ?? 'free') : ruling;
}

function refusal(disk: MemoryDisk, { projections, blobs, session }: Append): Fault | null {
  const { gates, grants, checkpoints, standing = [] } = projections;
  const tenant = disk.sessions.get(session)?.tenant_id ?? projections.session.tenant_id;
  if (tenant !== projections.session.tenant_id) return tenantChanged(projections.session);
  const intended = intendedBy(projections);
  const thrown = [...disk.killSwitches.values()].find((each) => intended.some((call) => stops(each, call)));
  if (thrown !== undefined) return killSwitchOn(thrown);
  const orphan = orphaned(projections, (parent) => disk.sessions.get(parent));
  if (orphan !== null) return orphan;
  const gate = gates.find(({ gate_id }) => isForeign(disk.gates.get(gate_id), session));
  if (gate !== undefined) return rowOfAnotherSession('gate', gate.gate_id);
  const used = grants.find(({ grant_id }, index) => disk.grants.has(grant_id) || isRepeated(grants, grant_id, index));
  if (used !== undefined) return grantAlreadyUsed(used);
  for (const use of standing) {
    const why = whyExhausted(disk.standing.get(use.grant_id) ?? null, use);
    if (why !== null) return standingRefused(use, why);
  }
  const taken = checkpoints.find((row) => isTaken(disk.checkpoints.get(row.checkpoint_id), row));
  if (taken !== undefined) return checkpointTaken(taken);
  const coming = new Set(blobs.map(({ address }) => address));
  const lost = referredTo(projections).find((address) => !coming.has(address) && !disk.blobs.has(address));
  return lost === undefined ? null : blobNotStored(lost);
}

const isForeign = (row: { readonly session_id: string } | undefined, session: string): boolean =>
  row !== undefined && row.session_id !== session;

const isRepeated = (uses: Projections['grants'], grantId: string, index: number): boolean =>
  uses.findIndex(({ grant_id }) => grant_id === grantId) !== index;

const isTaken = (held: CheckpointRow | undefined, row: CheckpointRow): boolean =>
  held !== undefined && (held.address !== row.address || held.session_id !== row.session_id);

function referredTo({ checkpoints, effects }: Projections): readonly Address[] {
  const results = effects.flatMap(({ result }) => (result === null ? [] : [result]));
  return [...checkpoints.map(({ address }) => address), ...results];
}

/** Stores an append that was ruled free. Copies and freezes, so that nothing a caller still holds can change it. */
export function write(disk: MemoryDisk, { frame, blobs, projections, session }: Append): void {
  const frames = disk.frames.get(session);
  if (frames === undefined) disk.frames.set(session, [frozen(frame)]);
  else frames.push(frozen(frame));
  for (const { address, text } of blobs) if (!disk.blobs.has(address)) disk.blobs.set(address, text);
  disk.sessions.set(session, frozen(projections.session));
  for (const gate of projections.gates) disk.gates.set(gate.gate_id, frozen(gate));
  for (const effect of projections.effects) keepEffect(disk, effect);
  for (const use of projections.grants) disk.grants.set(use.grant_id, frozen(use));
  for (const use of projections.standing ?? []) recordUse(disk, use);
  for (const row of projections.checkpoints) {
    if (disk.checkpoints.has(row.checkpoint_id)) continue;
    disk.checkpoints.set(row.checkpoint_id, frozen(row));
    disk.latestCheckpoints.set(session, frozen(row));
  }
}

/** What is settled stays settled: asking for it again changes nothing. */
function keepEffect({ effects }: MemoryDisk, effect: EffectRow): void {
  const ledger = effects.get(effect.session_id) ?? new Map<string, EffectRow>();
  effects.set(effect.session_id, ledger);
  if (ledger.get(effect.idempotency_key)?.state === 'settled') return;
  ledger.set(effect.idempotency_key, frozen(effect));
}

const frozen = <T extends object>(row: T): T => Object.freeze({ ...row });
