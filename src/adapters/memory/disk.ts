import type { Frame } from '../../model/events/frame.ts';
import type { RefusedGrant } from '../../model/gate/grant.ts';
import type { KillSwitch } from '../../model/gate/kill-switch.ts';
import type { Address } from '../../model/json/hash.ts';
import type { CheckpointRow, EffectRow, GateRow, GrantUse, SessionRow } from '../../ports/journal/rows.ts';
import type { Driver } from '../../ports/journal/scheduler.ts';
import type { StandingRow, StandingUse } from '../../ports/journal/standing-grants.ts';

/** The data of in-memory journals. It outlives a closed journal, and journals on the same disk share it. */
export interface MemoryDisk {
  readonly frames: Map<string, Frame[]>;
  readonly blobs: Map<Address, string>;
  readonly sessions: Map<string, SessionRow>;
  readonly gates: Map<string, GateRow>;
  /** The effect ledger of each session, by key. */
  readonly effects: Map<string, Map<string, EffectRow>>;
  readonly grants: Map<string, GrantUse>;
  readonly standing: Map<string, StandingRow>;
  readonly standingUses: StandingUse[];
  readonly refusedGrants: RefusedGrant[];
  readonly killSwitches: Map<string, KillSwitch>;
  readonly drivers: Map<string, Driver>;
  readonly checkpoints: Map<string, CheckpointRow>;
  /** By session. */
  readonly latestCheckpoints: Map<string, CheckpointRow>;
}

export function memoryDisk(): MemoryDisk {
  return {
    frames: new Map(),
    blobs: new Map(),
    sessions: new Map(),
    gates: new Map(),
    effects: new Map(),
    grants: new Map(),
    standing: new Map(),
    standingUses: [],
    refusedGrants: [],
    killSwitches: new Map(),
    drivers: new Map(),
    checkpoints: new Map(),
    latestCheckpoints: new Map(),
  };
}
