#ifndef AVERAGE_H
#define AVERAGE_H

double average(const int *numbers, int count);

#endif
