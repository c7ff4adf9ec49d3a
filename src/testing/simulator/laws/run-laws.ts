/** Laws about complete runs and processes, which no single event can break. */
export const RUN_LAWS = {
  determinism: 'determinism',
  replay: 'replay equals run',
  reload: 'reload equals run',
  terminal: 'terminal stays terminal',
  refusal: 'illegal events are refused',
  next: 'somebody is next',
  store: 'the store takes what the kernel makes',
  ownFault: 'no fault of its own',
} as const;
