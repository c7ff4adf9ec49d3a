import type { AgentSpec } from '../../model/agent.ts';
import { Fault } from '../../model/fault.ts';
import { dearerCost, type ToolCost } from '../../model/tool.ts';
import type { Planner } from '../../ports/planner.ts';

/** A planner and the one that takes over from it, where there is one. */
export const plannersOf = (planner: Planner): readonly Planner[] =>
  planner.safer === undefined ? [planner] : [planner, planner.safer];

/** The most that a plan may take, whoever makes it. */
export function plannerCost(planner: Planner): ToolCost | undefined {
  const costs = plannersOf(planner).flatMap(({ cost }) => cost ?? []);
  const [first, ...others] = costs;
  return first === undefined ? undefined : others.reduce(dearerCost, first);
}

/** Somebody who would never be asked is somebody that the host believes to be there. */
export function saferFaults({ boundary }: AgentSpec, { safer }: Planner): readonly Fault[] {
  if (safer === undefined || boundary.escalation_paths.includes('specialist_model')) return [];
  const path = '/agent/boundary/escalation_paths';
  const message = `${path}: planner.safer takes over only where the boundary names specialist_model: add it, or leave safer out`;
  return [new Fault('input_invalid', message, { path })];
}
