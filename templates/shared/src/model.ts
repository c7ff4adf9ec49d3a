import type { AgentOptions } from 'ambit';
import { script } from './script.ts';

/** The model of the agent: a real one if ANTHROPIC_API_KEY is set. Otherwise a script plays the model, and says so. */
export const model: NonNullable<AgentOptions['model']> =
  process.env['ANTHROPIC_API_KEY'] === undefined
    ? script
    : (await import('@ai-sdk/anthropic')).anthropic('claude-sonnet-5');
