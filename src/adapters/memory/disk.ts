import type { Frame } from '../../model/frame.ts';
import type { RefusedGrant } from '../../model/grant.ts';
import type { Address } from '../../model/hash.ts';
import type { KillSwitch } from '../../model/kill-switch.ts';
import type { Driver } from '../../ports/drivers.ts';
import type { CheckpointRow, EffectRow, GateRow, GrantUse, SessionRow } from '../../ports/journal-rows.ts';
import type { StandingRow, StandingUse } from '../../ports/standing-grants.ts';

/** What outlives a journal that was closed: two journals on one disk see each other's writes. */
export interface MemoryDisk {
  readonly frames: Map<string, Frame[]>;
  readonly blobs: Map<Address, string>;
  readonly sessions: Map<string, SessionRow>;
  readonly gates: Map<string, GateRow>;
  /** Each session's ledger, by key. */
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
