// Without schemas, so that the help of the command line needs none.

export const ownToolLanguages = ['python', 'js', 'sh'] as const;
export const ownToolExamples = ['create_issue', 'chat_message'] as const;
