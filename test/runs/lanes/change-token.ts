import type { MemoryDisk } from '../../../src/adapters/memory/disk.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import type { SecurityToken } from '../../../src/model/run/identity.ts';

/**
 * Changes the token in the record of a run and seals its frames again. The run and its lane then have tokens of two
 * assemblies, as if the narrowing of the lane's token had been left out.
 */
export function changeToken(disk: MemoryDisk, runId: string, change: Partial<SecurityToken>): void {
  let prev: Parameters<typeof sealFrame>[0]['prev'] = GENESIS;
  const frames = (disk.frames.get(runId) ?? []).map((frame) => {
    const events = (JSON.parse(frame.events) as { type: string; token?: SecurityToken }[]).map((event) =>
      event.type === 'scope_resolved' ? { ...event, token: { ...event.token, ...change } } : event,
    );
    const sealed = sealFrame({ ...frame, events: JSON.stringify(events), prev }, sha256);
    prev = sealed.hash;
    return sealed;
  });
  const row = disk.sessions.get(runId);
  if (row === undefined || prev === GENESIS) throw new Error(`there is no run ${runId}`);
  disk.frames.set(runId, frames);
  disk.sessions.set(runId, { ...row, head_hash: prev });
}
