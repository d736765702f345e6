// Package systemtest is what tests need to harm what package system makes.
package systemtest
