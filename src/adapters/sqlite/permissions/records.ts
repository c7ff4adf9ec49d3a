import type { RefusedGrant, StandingGrant } from '../../../model/gate/grant.ts';
import {
  type KillSwitch,
  type KillSwitchAct,
  type RefusedLift,
  withRefusedLift,
} from '../../../model/gate/kill-switch.ts';
import type { KeyRevocation } from '../../../model/gate/signing-key.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { RunLabel } from '../../../model/record/run-label.ts';
import type { StandingUse } from '../../../ports/journal/standing-grants.ts';

/** The record of a pruned session: what was deleted, why, and under which retention. */
export interface Pruning {
  readonly session_id: string;
  readonly tenant_id: string;
  readonly sid: number;
  /** The end of its chain, which anchors name. */
  readonly seq: number;
  readonly head_hash: Address;
  readonly reason: string;
  readonly at: number | null;
  /** Sessions that ended at least this long ago were pruned. Null if it was pruned before format 8. */
  readonly older_than_ms: number | null;
  /** The decision record that is kept. */
  readonly record: Address | null;
  /** The address of the rows that are kept: the session, its gates and its used grants. */
  readonly kept: Address;
}

/** One decision about permissions that belongs to no single run, as it is stored. */
export type PermissionRecord =
  | { readonly kind: 'store_named'; readonly store_id: string }
  | { readonly kind: 'grant_given'; readonly grant: StandingGrant }
  | { readonly kind: 'grant_revoked'; readonly grant_id: string; readonly revoked: KeyRevocation }
  | { readonly kind: 'grant_used'; readonly use: StandingUse }
  | { readonly kind: 'grant_refused'; readonly refused: RefusedGrant }
  | { readonly kind: 'switch_thrown'; readonly thrown: KillSwitch }
  | { readonly kind: 'switch_lifted'; readonly switch_id: string; readonly lifted: KillSwitchAct }
  | { readonly kind: 'lift_refused'; readonly switch_id: string; readonly refused: RefusedLift }
  | { readonly kind: 'session_pruned'; readonly pruning: Pruning }
  | { readonly kind: 'run_labelled'; readonly label: RunLabel };

/** A standing grant with its uses. */
export interface GrantState {
  readonly grant: StandingGrant;
  readonly revoked: KeyRevocation | null;
  readonly uses: StandingUse[];
  readonly microusd: number;
}

/** The permissions that follow from the records, each in the order in which it was recorded. */
export interface Permissions {
  /** The identity of the store. Null only while a new store is being opened. */
  storeId: string | null;
  readonly grants: Map<string, GrantState>;
  readonly switches: Map<string, KillSwitch>;
  readonly refusedGrants: RefusedGrant[];
  readonly prunings: Map<string, Pruning>;
  readonly labels: RunLabel[];
}

export const noPermissions = (): Permissions => ({
  storeId: null,
  grants: new Map(),
  switches: new Map(),
  refusedGrants: [],
  prunings: new Map(),
  labels: [],
});

/** Whether a record permits anything. A record that only restricts counts without a signature. */
export const permits = ({ kind }: PermissionRecord): boolean => kind === 'grant_given' || kind === 'switch_lifted';

/** Adds a record to the permissions. A grant, a switch and a pruning are recorded once; later ones change nothing. */
export function applyRecord(to: Permissions, record: PermissionRecord): void {
  switch (record.kind) {
    case 'store_named':
      to.storeId ??= record.store_id;
      return;
    case 'grant_given': {
      const { grant } = record;
      if (!to.grants.has(grant.grant_id))
        to.grants.set(grant.grant_id, { grant, revoked: null, uses: [], microusd: 0 });
      return;
    }
    case 'grant_revoked': {
      const before = to.grants.get(record.grant_id);
      if (before?.revoked === null) to.grants.set(record.grant_id, { ...before, revoked: record.revoked });
      return;
    }
    case 'grant_used': {
      const { use } = record;
      const before = to.grants.get(use.grant_id);
      if (before === undefined) return;
      before.uses.push(Object.freeze(use));
      to.grants.set(use.grant_id, { ...before, microusd: before.microusd + use.microusd });
      return;
    }
    case 'grant_refused':
      to.refusedGrants.push(Object.freeze(record.refused));
      return;
    case 'switch_thrown':
      if (!to.switches.has(record.thrown.switch_id))
        to.switches.set(record.thrown.switch_id, { ...record.thrown, lifted: null });
      return;
    case 'switch_lifted': {
      const before = to.switches.get(record.switch_id);
      if (before?.lifted === null) to.switches.set(record.switch_id, { ...before, lifted: record.lifted });
      return;
    }
    case 'lift_refused': {
      const before = to.switches.get(record.switch_id);
      if (before !== undefined) to.switches.set(record.switch_id, withRefusedLift(before, record.refused));
      return;
    }
    case 'run_labelled':
      to.labels.push(Object.freeze(record.label));
      return;
    case 'session_pruned':
      if (!to.prunings.has(record.pruning.session_id)) to.prunings.set(record.pruning.session_id, record.pruning);
      return;
  }
}
