import { Fault } from '../../model/fault/fault.ts';
import type { KillSwitch, KillSwitchAct, RefusedLift } from '../../model/gate/kill-switch.ts';
import type { Projections } from './rows.ts';

/**
 * The kill switches of the store. The append that holds an intent checks them itself, so a switch that another process
 * threw a moment earlier still counts.
 */
export interface KillSwitchStore {
  throwSwitch(thrown: KillSwitch): Promise<void>;
  /** `switch_not_found`. A switch that was already lifted does not change. */
  liftSwitch(switchId: string, lifted: KillSwitchAct): Promise<void>;
  /** `switch_not_found`. Records who failed to lift the switch and why, at most `REFUSED_LIFTS_MAX` per switch. */
  noteRefusedLift(switchId: string, refused: RefusedLift): Promise<void>;
  /** Returns all switches, including lifted ones, in the order in which they were thrown. */
  killSwitches(): Promise<readonly KillSwitch[]>;
}

/** A call that an append is about to make, one per intent. */
export interface IntendedCall {
  readonly tenant: string;
  readonly agent: string;
  /** In a lane: the agents that work in it, by their own names. */
  readonly workers: readonly string[];
  readonly tool: string;
  /** In a lane: the lane tools through which it was opened. A switch on one of them stops the lane. */
  readonly through: readonly string[];
}

export function intendedBy({ session, intents, workers = [], through = [] }: Projections): readonly IntendedCall[] {
  const { tenant_id: tenant, agent } = session;
  return intents.map((tool) => ({ tenant, agent, workers, tool, through }));
}

export function isStopping({ scope, lifted }: KillSwitch, call: IntendedCall): boolean {
  const { tenant, agent, workers, tool, through } = call;
  if (lifted !== null || (scope.tenant ?? tenant) !== tenant) return false;
  if (scope.tool !== undefined && scope.tool !== tool && !through.includes(scope.tool)) return false;
  return [agent, ...workers].some((name) => isOrWorksFor(name, scope.agent));
}

/** A switch on an agent also covers its lanes, whose names begin with its own, such as `support/refunds`. */
function isOrWorksFor(agent: string, stopped: string | undefined): boolean {
  return stopped === undefined || agent === stopped || agent.startsWith(`${stopped}/`);
}

export function killSwitchOn({ switch_id, scope, thrown }: KillSwitch): Fault {
  const what = Object.entries(scope).map(([kind, name]) => `${kind} ${name}`);
  const message = `kill switch ${switch_id} on ${what.join(', ')}: thrown by ${thrown.by}, ${thrown.reason}`;
  return new Fault('kill_switch_on', message);
}

export function switchNotFound(switchId: string): Fault {
  return new Fault('switch_not_found', `there is no kill switch ${switchId}`);
}
