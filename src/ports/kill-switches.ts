import { Fault } from '../model/fault.ts';
import type { KillSwitch, KillSwitchAct, RefusedLift } from '../model/kill-switch.ts';
import type { Projections } from './journal-rows.ts';

/**
 * The part of the store that knows what has been stopped. Whether a switch is on is decided inside the append that
 * holds an intent, so that one thrown by another process a moment before still counts.
 */
export interface KillSwitches {
  throwSwitch(thrown: KillSwitch): Promise<void>;
  /** `switch_not_found`. One that was lifted before stays as it was. */
  liftSwitch(switchId: string, lifted: KillSwitchAct): Promise<void>;
  /** `switch_not_found`. Keeps who could not lift it and why, up to `REFUSED_LIFTS_MAX` of them. */
  noteRefusedLift(switchId: string, refused: RefusedLift): Promise<void>;
  /** In the order in which they were thrown, those that were lifted included. */
  killSwitches(): Promise<readonly KillSwitch[]>;
}

/** What an append is about to set in motion, one entry for each intent. */
export interface Intended {
  readonly tenant: string;
  readonly agent: string;
  /** In a lane, the agents at work in it by their own names. */
  readonly workers: readonly string[];
  readonly tool: string;
}

export function intendedBy({ session, intents, workers = [] }: Projections): readonly Intended[] {
  const { tenant_id: tenant, agent } = session;
  return intents.map((tool) => ({ tenant, agent, workers, tool }));
}

export function stops({ scope, lifted }: KillSwitch, { tenant, agent, workers, tool }: Intended): boolean {
  if (lifted !== null) return false;
  if ((scope.tenant ?? tenant) !== tenant || (scope.tool ?? tool) !== tool) return false;
  return [agent, ...workers].some((name) => isOrWorksFor(name, scope.agent));
}

/** Who stops an agent stops it wherever it works, and whatever works for it in lanes, which bear its name before their own. */
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
