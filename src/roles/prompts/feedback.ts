import type { Problem } from '../../model/json/problem.ts';
import { asData } from './common.ts';

const PROBLEMS_MAX = 20;

/** The problems of an answer as a message to the model that gave it. */
export function feedback(problems: readonly Problem[]): string {
  const lines = problems.slice(0, PROBLEMS_MAX).map(({ code, path, message }) => {
    return `- ${code} at ${path === '' ? 'the top' : path}: ${asData(message.toWellFormed())}`;
  });
  const more = problems.length - lines.length;
  return [
    'This cannot be used:',
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
    'Give the whole answer again, put right, and nothing else.',
  ].join('\n');
}
