/**
 * `ambit/ai-sdk`: AI SDK tools for Ambit's agents, and streams of Ambit's runs for a `useChat` front end.
 * @module
 */

export { type QuestionFields, readAnswers } from '../../model/run/read-answers.ts';
export type { ToolLabel } from '../../model/tool/imported-tool.ts';
export type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
export { fromAISDK, type ToolContexts, type ToolLabels } from './from-ai-sdk.ts';
export {
  type ClaimedApproval,
  readApprovals,
  readCursor,
  readMessage,
} from './ui/read-messages.ts';
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
} from './ui/ui-message-stream.ts';
export type { UIRun } from './ui/ui-run.ts';
