import type { ToolCategory, ToolSpec } from '../model/tool.ts';

/** How far a call of this tool can reach, in the words of its author or else of its category. */
export const blastRadius = ({ hazards, category }: ToolSpec): string => hazards?.blast_radius ?? USUAL_REACH[category];

/** How it is taken back. Where nobody says, nobody is told that it can be. */
export function rollbackPath({ hazards, probes, side_effect }: ToolSpec): string {
  if (hazards?.rollback !== undefined) return hazards.rollback;
  if (probes?.compensate !== undefined) return `Taken back by ${probes.compensate}.`;
  return side_effect ? 'None is declared: take it that this cannot be undone.' : 'Nothing to take back.';
}

const USUAL_REACH: Readonly<Record<ToolCategory, string>> = {
  read_only_lookup: 'Reads; nothing is changed.',
  vector_retrieval: 'Reads; nothing is changed.',
  live_api: 'Whatever this account may change in the service behind the interface.',
  sandbox_code: 'Whatever code may do inside its sandbox.',
  file_system: 'The files that the arguments name.',
  database: 'The rows that the statement touches.',
  email_calendar: 'Everybody whom the message or the invitation reaches; it cannot be unsent.',
  payment: 'The money and the account that the arguments name.',
  infrastructure: 'The running systems that the arguments name, and whoever depends on them.',
  review_queue: 'A queue that people work through.',
};
