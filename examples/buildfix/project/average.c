#include "average.h"

double average(const int *numbers, int count)
{
	double total = 0;
	for (int i = 0; i < count; i++)
		total += numbers[i];
	return total / count
}
