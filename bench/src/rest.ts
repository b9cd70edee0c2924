/** In which what a start leaves behind is collected. */
export const restSeconds = 60;
